package ai.molecule.proxy.delegations;

import org.jspecify.annotations.Nullable;

/**
 * How a delegation ended.
 *
 * @param text what the target said; null when it failed
 * @param error null when it completed
 * @param unknown whether the target may have done the work
 * @param via how the answer came, when not directly
 * @param listed whether the outcome is an entry of its own in lists
 */
public record Outcome(
        @Nullable String text,
        @Nullable String error,
        boolean unknown,
        @Nullable String via,
        boolean listed) {

    static Outcome completed(String text) {
        return new Outcome(text, null, false, null, true);
    }

    static Outcome failed(String error) {
        return new Outcome(null, error.replace('\0', '\ufffd'), false, null, true);
    }

    static Outcome unknown(String why) {
        return new Outcome(null, "outcome unknown: " + why, true, null, true);
    }

    Outcome unknowable() {
        return new Outcome(text, error, true, via, listed);
    }

    Outcome by(String way) {
        return new Outcome(text, error, unknown, way, listed);
    }

    /** Reported by an agent that follows its own delegation: a failure is no entry of its own. */
    Outcome reported() {
        return new Outcome(text, error, unknown, via, completed());
    }

    boolean completed() {
        return error == null;
    }
}
