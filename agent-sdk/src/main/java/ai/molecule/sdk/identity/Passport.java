package ai.molecule.sdk.identity;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the work that an agent is at is allowed, and on whose behalf it is done, as the platform signed it for this agent. It travels along with
 * whatever the agent asks of others meanwhile, where the platform makes it narrower or leaves it as it is.
 *
 * <pre>{@code
 * Passport passport = client.callers().passportOrAsk(shown);
 * if (!passport.permits("write", Instant.now())) {
 *     return "not allowed: " + passport.path();
 * }
 * }</pre>
 *
 * @param jws as it was shown, and is shown again
 * @param id its {@code jti}
 * @param principal on whose behalf
 * @param path who asked whom, by their names, the principal first and this agent last
 * @param work empty where it is part of none
 * @param delegation empty where it came with a message
 * @param budget in US dollars, as text; empty for no bound of its own
 * @param expiresAt by the platform's clock
 * @param tools that may be used; empty for every one there is
 */
public record Passport(
        String jws,
        String id,
        String principal,
        List<String> path,
        Optional<String> work,
        Optional<String> delegation,
        Optional<String> budget,
        Instant expiresAt,
        Optional<Set<String>> tools) {

    /** The header in which it is given and shown. */
    public static final String HEADER = "X-Molecule-Passport";

    private static final int DEPTH_MAX = 64;

    public Passport {
        path = List.copyOf(path);
        tools = tools.map(Set::copyOf);
    }

    /** Whether a tool may be used under it at that time. */
    public boolean permits(String tool, Instant now) {
        return now.isBefore(expiresAt)
                && tools.map(named -> named.contains(tool)).orElse(true);
    }

    /** One that was believed before and kept since; empty for what is none. Whether it was signed is not looked at again. */
    public static Optional<Passport> kept(String jws) {
        try {
            return Optional.of(of(jws, KeySet.unverified(jws)));
        } catch (NotBelieved none) {
            return Optional.empty();
        }
    }

    /** Why something is not permitted, in words for whoever tried. */
    public String refusal(Instant now) {
        if (!now.isBefore(expiresAt)) {
            return "its time was over at " + expiresAt;
        }
        String allowed = tools.filter(named -> !named.isEmpty())
                .map(named -> "only " + String.join(", ", new TreeSet<>(named)))
                .orElse("no tool");
        return String.join(" asked ", path) + ", and allowed " + allowed;
    }

    static Passport of(String jws, JsonNode claims) throws NotBelieved {
        if (!claims.path("jti").isTextual()
                || !claims.path("sub").isTextual()
                || !claims.path("exp").isIntegralNumber()) {
            throw NotBelieved.because("not a passport");
        }
        List<String> path = new ArrayList<>();
        path.add(claims.path("aud_name").asText());
        for (var act = claims.path("act"); act.isObject() && path.size() <= DEPTH_MAX; act = act.path("act")) {
            path.add(0, act.path("name").asText());
        }
        path.add(0, claims.path("name").asText());
        Optional<Set<String>> tools = Optional.empty();
        if (claims.has("tools")) {
            Set<String> named = new TreeSet<>();
            claims.path("tools").forEach(tool -> named.add(tool.asText()));
            tools = Optional.of(named);
        }
        return new Passport(
                jws,
                claims.path("jti").asText(),
                claims.path("sub").asText(),
                path,
                text(claims, "work"),
                text(claims, "delegation"),
                text(claims, "budget"),
                Instant.ofEpochSecond(claims.path("exp").asLong()),
                tools);
    }

    private static Optional<String> text(JsonNode claims, String name) {
        return Optional.ofNullable(claims.path(name).textValue());
    }

    /** Without what it is shown by. */
    @Override
    public String toString() {
        return "Passport[" + String.join(" → ", path) + "]";
    }
}
