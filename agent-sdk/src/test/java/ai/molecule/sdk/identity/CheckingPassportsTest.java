package ai.molecule.sdk.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.sdk.TraceContext;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Passports, offline: what is believed, and that whatever is asked meanwhile shows them. */
class CheckingPassportsTest {

    private static final String ME = UUID.randomUUID().toString();
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

    private final SigningPlatform platform = new SigningPlatform();
    private Instant clock = NOW;
    private final PairTokenCheck check = new PairTokenCheck(ME, platform::jwks, () -> clock, () -> 0);

    @Test
    void it_says_who_asked_whom_and_what_is_allowed() throws NotBelieved {
        Passport passport = check.passportOrAsk(signed(claims()));

        assertThat(passport.path()).containsExactly("Kim", "Lead", "Writer", "Me");
        assertThat(passport.permits("read", NOW)).isTrue();
        assertThat(passport.permits("run", NOW)).isFalse();
        assertThat(passport.permits("read", NOW.plusSeconds(3_600))).isFalse();
        assertThat(passport.budget()).contains("0.4");
        assertThat(passport.work()).contains("w1");
        assertThat(passport.refusal(NOW))
                .isEqualTo("Kim asked Lead asked Writer asked Me, and allowed only read, write");
        assertThat(passport).hasToString("Passport[Kim → Lead → Writer → Me]");
        ObjectNode free = claims();
        free.remove("tools");
        assertThat(check.passport(signed(free)).permits("run", NOW)).isTrue();
    }

    @Test
    void anothers_an_altered_one_and_another_kind_are_not_believed() throws NotBelieved {
        String good = signed(claims());
        assertThat(check.passportOrAsk(good).id()).isNotEmpty();

        refused(signed(claims().put("aud", UUID.randomUUID().toString())), "issued for another workspace");
        refused(good.substring(0, good.lastIndexOf('.')) + ".AAAA", "signature");
        refused(platform.token(claims()), "signed as something else");
        refused(new SigningPlatform().signed(header(), claims().toString()), "not the platform's");
        refused(signed(claims().put("iat", NOW.getEpochSecond() + 60)), "future");
        assertThatThrownBy(() -> check.check(good)).hasMessageContaining("signed as something else");
    }

    @Test
    void it_ends_with_its_time() throws NotBelieved {
        check.heard(NOW, NOW, NOW, 0, "");
        String good = signed(claims());
        assertThat(check.passportOrAsk(good)).isNotNull();

        clock = NOW.plusSeconds(3_611);

        refused(good, "over");
    }

    @Test
    void whatever_is_asked_meanwhile_shows_it() throws NotBelieved {
        Passport passport = check.passportOrAsk(signed(claims()));

        var sent = TraceContext.of(Optional.empty(), Optional.empty())
                .under(Optional.of(passport))
                .during(() -> TraceContext.told(HttpRequest.newBuilder(URI.create("http://x")))
                        .build());

        assertThat(sent.headers().firstValue(Passport.HEADER)).contains(passport.jws());
        assertThat(TraceContext.passport()).isEmpty();
        assertThat(Passport.kept(passport.jws())).contains(passport);
        assertThat(Passport.kept("nothing")).isEmpty();
    }

    private void refused(String jws, String why) {
        assertThatThrownBy(() -> check.passport(jws))
                .isInstanceOf(NotBelieved.class)
                .hasMessageContaining(why);
    }

    private String header() {
        return platform.header().put("typ", "molecule-passport+jwt").toString();
    }

    private String signed(ObjectNode claims) {
        return platform.signed(header(), claims.toString());
    }

    private static ObjectNode claims() {
        ObjectNode claims = SigningPlatform.JSON
                .createObjectNode()
                .put("iss", "molecule")
                .put("sub", "person:kim")
                .put("name", "Kim")
                .put("aud", ME)
                .put("aud_name", "Me")
                .put("iat", NOW.getEpochSecond())
                .put("exp", NOW.getEpochSecond() + 3_600)
                .put("jti", UUID.randomUUID().toString())
                .put("budget", "0.4")
                .put("work", "w1");
        ObjectNode act = claims.putObject("act").put("sub", "writer").put("name", "Writer");
        act.putObject("act").put("sub", "lead").put("name", "Lead");
        ArrayNode tools = claims.putArray("tools");
        tools.add("read").add("write");
        return claims;
    }
}
