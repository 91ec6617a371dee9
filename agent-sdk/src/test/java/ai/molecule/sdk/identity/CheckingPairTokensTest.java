package ai.molecule.sdk.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who calls, offline: what is believed, and everything else that somebody might show. */
class CheckingPairTokensTest {

    private static final String ME = UUID.randomUUID().toString();
    private static final String PEER = UUID.randomUUID().toString();
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

    private final SigningPlatform platform = new SigningPlatform();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();
    private @Nullable SigningPlatform told = platform;
    private Instant clock = NOW;
    private final PairTokenCheck check = new PairTokenCheck(
            ME,
            () -> {
                asked.incrementAndGet();
                return Optional.ofNullable(told)
                        .orElseThrow(() -> new IllegalStateException("away"))
                        .jwks();
            },
            () -> clock,
            nanos::get);

    @Test
    void whom_the_platform_signed_for_is_believed_without_asking_again() throws NotBelieved {
        String token = platform.token(claims());

        assertThat(check.checkOrAsk(token).caller()).isEqualTo(PEER);
        assertThat(check.check(token).branchVersion()).isEqualTo(7);
        assertThat(check.check(platform.token(claims())).caller()).isEqualTo(PEER);

        assertThat(asked).hasValue(1);
    }

    @Test
    void it_holds_for_this_workspace_alone() {
        refused(platform.token(SigningPlatform.claims(PEER, PEER, NOW)), "issued for another workspace");
    }

    @Test
    void it_ends_and_does_not_begin_in_the_future_but_for_ten_seconds() throws NotBelieved {
        check.heard(NOW, NOW, NOW, 0, "");
        String token = platform.token(claims());
        String early = platform.token(SigningPlatform.claims(PEER, ME, NOW.plusSeconds(80)));

        refused(early, "issued in the future");
        clock = NOW.plusSeconds(70);
        assertThat(check.check(token)).isNotNull();
        assertThat(check.check(early)).isNotNull();
        clock = NOW.plusSeconds(71);
        refused(token, "expired");
        refused(platform.token(claims().put("exp", NOW.getEpochSecond() + 400)), "longer than such tokens do");
    }

    @Test
    void an_agent_whose_clock_is_two_minutes_wrong_works_once_it_heard_the_time() throws NotBelieved {
        for (Duration wrong : List.of(Duration.ofMinutes(2), Duration.ofMinutes(-2))) {
            clock = NOW.plus(wrong);
            check.heard(NOW, clock, clock, 0, "v");

            assertThat(check.checkOrAsk(platform.token(claims()))).isNotNull();
            refused(platform.token(SigningPlatform.claims(PEER, ME, NOW.minusSeconds(75))), "expired");
            nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        }
    }

    @Test
    void until_a_heartbeat_told_the_time_a_clock_that_is_wrong_decides_nothing() throws NotBelieved {
        for (Duration wrong : List.of(Duration.ofMinutes(2), Duration.ofMinutes(-2))) {
            clock = NOW.plus(wrong);
            undecided(platform.token(claims()), "by a clock that is not set");
        }

        check.heard(NOW, clock, clock, 0, "");

        assertThat(check.check(platform.token(claims()))).isNotNull();
        refused(platform.token(SigningPlatform.claims(PEER, ME, NOW.minusSeconds(75))), "expired");
    }

    @Test
    void while_the_platform_does_not_tell_its_keys_nothing_is_decided() throws NotBelieved {
        told = null;
        undecided(platform.token(claims()), "not asked about yet");

        told = platform;
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());

        assertThat(check.checkOrAsk(platform.token(claims()))).isNotNull();
    }

    @Test
    void an_answer_that_came_late_says_nothing_about_the_time() throws NotBelieved {
        check.heard(NOW.minusSeconds(300), NOW.minusSeconds(20), NOW, 0, "v");

        assertThat(check.checkOrAsk(platform.token(claims()))).isNotNull();
    }

    @Test
    void after_a_change_of_who_may_talk_to_whom_older_tokens_are_refused_at_once() throws NotBelieved {
        String stolen = platform.token(claims());
        check.checkOrAsk(stolen);

        check.heard(NOW, NOW, NOW, 8, "");

        refused(stolen, "issued before a change");
        assertThat(check.check(platform.token(claims().put("ver", 8)))).isNotNull();
        check.heard(NOW, NOW, NOW, 0, ""); // an answer that overtook another
        refused(stolen, "issued before a change");
    }

    static Stream<Callable<String>> tricks() {
        var platform = Holder.PLATFORM;
        var thief = new SigningPlatform();
        ObjectNode claims = SigningPlatform.claims(PEER, ME, NOW);
        String right = platform.token(claims);
        String[] parts = right.split("\\.");
        return Stream.of(
                () -> SigningPlatform.encoded(
                                platform.header().put("alg", "none").toString()) + "." + parts[1] + ".",
                () -> hmac(platform, claims),
                () -> platform.signed(platform.header().put("alg", "EDDSA").toString(), claims.toString()),
                () -> platform.signed(platform.header().put("alg", "Ed448").toString(), claims.toString()),
                () -> platform.signed(
                        platform.header().put("typ", "molecule-audit-head+jwt").toString(), claims.toString()),
                () -> platform.signed(platform.header().without("typ").toString(), claims.toString()),
                () -> thief.signed(platform.header().toString(), claims.toString()),
                () -> thief.signed(platform.header().set("jwk", thief.jwk()).toString(), claims.toString()),
                () -> platform.signed(
                        platform.header()
                                .put("jku", "https://evil.example/jwks")
                                .toString(),
                        claims.toString()),
                () -> platform.signed(
                        platform.header()
                                .<ObjectNode>set(
                                        "crit",
                                        SigningPlatform.JSON.createArrayNode().add("b64"))
                                .toString(),
                        claims.toString()),
                () -> platform.signed(
                        platform.header().toString(),
                        claims.toString().replaceFirst("\\{", "{\"aud\":\"" + ME + "\",")), // said twice
                () -> platform.signed(platform.header().toString(), claims + "{}"),
                () -> platform.signed(platform.header().toString(), "[" + claims + "]"),
                () -> platform.signed(
                        platform.header().toString(),
                        claims.deepCopy().put("iss", "somebody").toString()),
                () -> platform.signed(
                        platform.header().toString(),
                        claims.deepCopy().put("exp", "never").toString()),
                () -> platform.signed(
                        platform.header().toString(),
                        claims.deepCopy()
                                .<ObjectNode>set(
                                        "aud",
                                        SigningPlatform.JSON.createArrayNode().add(ME))
                                .toString()),
                () -> parts[0] + "."
                        + SigningPlatform.encoded(
                                claims.deepCopy().put("sub", ME).toString()) + "." + parts[2],
                () -> parts[0] + "." + parts[1] + ".",
                () -> parts[0] + "." + parts[1] + "." + parts[2].substring(2),
                () -> right + "=",
                () -> right + ".",
                () -> right + "." + parts[2],
                () -> parts[0] + "." + parts[1],
                () -> "..",
                () -> ".",
                () -> "a.b.c",
                () -> right.repeat(20));
    }

    @ParameterizedTest
    @MethodSource("tricks")
    void no_trick_is_believed(Callable<String> trick) throws Exception {
        told = Holder.PLATFORM;
        String shown = trick.call();

        assertThat(PairTokenCheck.looksLikeOne(shown)).isTrue();
        assertThatThrownBy(() -> check.checkOrAsk(shown)).isInstanceOf(NotBelieved.class);
        assertThat(check.checkOrAsk(Holder.PLATFORM.token(claims())).caller()).isEqualTo(PEER);
    }

    @Test
    void an_unknown_key_is_asked_for_once_in_five_seconds() {
        var stranger = new SigningPlatform();

        refused(stranger.token(claims()), "not the platform's");
        undecided(stranger.token(claims()), "not asked about yet");
        assertThat(asked).hasValue(1);
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        refused(stranger.token(claims()), "not the platform's");

        assertThat(asked).hasValue(2);
    }

    @Test
    void when_the_platform_has_other_keys_the_ones_before_are_believed_no_more() throws NotBelieved {
        check.heard(NOW, NOW, NOW, 0, "first");
        String before = platform.token(claims());
        check.checkOrAsk(before);

        var other = new SigningPlatform();
        told = other;
        check.heard(NOW, NOW, NOW, 0, "second");

        refused(before, "not the platform's");
        assertThat(check.checkOrAsk(other.token(claims())).caller()).isEqualTo(PEER);
    }

    @Test
    void while_keys_change_everybody_whom_one_of_them_signed_for_is_believed() throws Exception {
        var keys = Stream.generate(SigningPlatform::new).limit(5).toList();
        var round = new AtomicInteger();
        var shared = new PairTokenCheck(
                ME,
                () -> {
                    ObjectNode both = SigningPlatform.JSON.createObjectNode();
                    int now = round.get();
                    both.putArray("keys")
                            .add(keys.get(Math.max(0, now - 1)).jwk())
                            .add(keys.get(now).jwk())
                            .add(keys.get(Math.min(4, now + 1)).jwk());
                    return both;
                },
                () -> NOW,
                System::nanoTime);
        var threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> callers = new ArrayList<>();
            for (int key = 0; key < keys.size(); key++) {
                round.set(key);
                shared.heard(NOW, NOW, NOW, 0, "v" + key);
                for (int caller = 0; caller < 4; caller++) {
                    var signing = keys.get(key);
                    callers.add(threads.submit(() -> shared.checkOrAsk(signing.token(claims()))));
                }
                for (var caller : callers) {
                    caller.get();
                }
            }
        } catch (ExecutionException refused) {
            throw new AssertionError(refused);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void opaque_tokens_are_none_of_these() {
        assertThat(PairTokenCheck.looksLikeOne("EE1bJyPZau-_0123456789")).isFalse();
        assertThat(PairTokenCheck.looksLikeOne("")).isFalse();
    }

    private static final class Holder {
        private static final SigningPlatform PLATFORM = new SigningPlatform();
    }

    private static ObjectNode claims() {
        return SigningPlatform.claims(PEER, ME, NOW);
    }

    private void refused(String token, String reason) {
        assertThatThrownBy(() -> check.checkOrAsk(token))
                .isInstanceOfSatisfying(
                        NotBelieved.class, why -> assertThat(why.isUndecided()).isFalse())
                .hasMessageContaining(reason);
    }

    private void undecided(String token, String reason) {
        assertThatThrownBy(() -> check.checkOrAsk(token))
                .isInstanceOfSatisfying(
                        NotBelieved.class, why -> assertThat(why.isUndecided()).isTrue())
                .hasMessageContaining(reason);
    }

    /** Key confusion: the public key as the secret of an HMAC. */
    private static String hmac(SigningPlatform platform, ObjectNode claims) throws GeneralSecurityException {
        String text =
                SigningPlatform.encoded(platform.header().put("alg", "HS256").toString()) + "."
                        + SigningPlatform.encoded(claims.toString());
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(platform.publicBytes(), "HmacSHA256"));
        return text + "."
                + Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(mac.doFinal(text.getBytes(StandardCharsets.US_ASCII)));
    }
}
