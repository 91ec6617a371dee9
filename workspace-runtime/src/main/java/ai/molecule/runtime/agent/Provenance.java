package ai.molecule.runtime.agent;

import ai.molecule.sdk.TraceContext;
import ai.molecule.sdk.identity.Passport;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The line in front of a message by which a model knows who speaks: to a model a person's words, a peer's and those of whoever wrote an issue are
 * else the same. It is made of what the platform signed; what looks like one in a message is made to look otherwise.
 */
public final class Provenance {

    private static final String BEGINS = "[Sender";
    private static final String UNKNOWN = BEGINS + " unknown to the platform]";
    private static final String PERSON = "person:";
    private static final String WEBHOOK = "webhook:";

    /** How whoever needs no credential is known, in development. */
    private static final String NOBODY = "none";

    private static final Pattern FORGED =
            Pattern.compile("^([ \\t]*)\\[(?=[ \\t]*sender)", Pattern.MULTILINE | Pattern.CASE_INSENSITIVE);

    /** What would end the line, or show nothing. */
    private static final Pattern UNFIT = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\[\\]\"]+");

    private Provenance() {}

    /** The text behind its line, by the passport of the work that this thread is at. Work without one has no line unless the text forges one. */
    public static String before(String text) {
        return before(text, TraceContext.passport());
    }

    static String before(String text, Optional<Passport> passport) {
        String honest = FORGED.matcher(text).replaceAll("$1(");
        Optional<String> line =
                passport.map(Provenance::line).or(() -> honest.equals(text) ? Optional.empty() : Optional.of(UNKNOWN));
        return line.map(said -> said + "\n\n" + honest).orElse(text);
    }

    /** Of the path the first one is on whose behalf, the last one this agent, and the one before it whoever asks. */
    private static String line(Passport passport) {
        List<String> path = passport.path();
        if (path.size() < 2) {
            return UNKNOWN;
        }
        String principal = principal(passport.principal(), path.getFirst());
        String sender = path.size() == 2
                ? principal
                : "the agent %s, on behalf of %s".formatted(quoted(path.get(path.size() - 2)), principal);
        return "%s, as the platform knows it: %s]".formatted(BEGINS, sender);
    }

    private static String principal(String id, String name) {
        if (id.startsWith(WEBHOOK)) {
            return "the webhook %s, by which anybody may speak".formatted(quoted(id.substring(WEBHOOK.length())));
        }
        if (id.equals(NOBODY)) {
            return "somebody who did not sign in";
        }
        return id.startsWith(PERSON) ? "the person " + quoted(name) : quoted(name);
    }

    private static String quoted(String name) {
        return '"' + UNFIT.matcher(name).replaceAll(" ").strip() + '"';
    }
}
