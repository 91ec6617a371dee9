package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.tools.DelegationRows;
import ai.molecule.runtime.tools.Excerpt;

/**
 * What the sender of a message learns about a failure: {@code Agent error: } and one line. The reason itself is told only
 * when the executor meant it to be; of anything else just the kind, because messages of exceptions carry paths, hosts
 * and keys.
 */
final class ErrorText {

    private static final int REASON_MAX_CHARS = 300;

    private ErrorText() {}

    static String of(Throwable failure) {
        return failure instanceof AgentFailure known
                ? of(String.valueOf(known.getMessage()))
                : of("internal error (" + failure.getClass().getSimpleName() + "), see the workspace log");
    }

    static String of(String reason) {
        String line = reason.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
        return DelegationRows.FAILURE + " "
                + (line.length() <= REASON_MAX_CHARS ? line : Excerpt.of(line, REASON_MAX_CHARS) + "...");
    }
}
