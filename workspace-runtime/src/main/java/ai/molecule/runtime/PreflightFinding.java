package ai.molecule.runtime;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One thing that was looked at before the start and is not as it should be.
 *
 * @param stops whether the agent cannot start with it
 * @param title what was looked at, in a word or two
 * @param detail what was found
 * @param fix what to do about it, as a sentence
 */
record PreflightFinding(boolean stops, String title, String detail, String fix) {

    static PreflightFinding fails(String title, String detail, String fix) {
        return new PreflightFinding(true, title, detail, fix);
    }

    static PreflightFinding warns(String title, String detail, String fix) {
        return new PreflightFinding(false, title, detail, fix);
    }

    /** In the form the platform shows to people: {@code [FAIL] title: detail} and a line with the fix; empty for none. */
    static String report(List<PreflightFinding> findings) {
        return findings.isEmpty()
                ? ""
                : findings.stream()
                        .map(PreflightFinding::lines)
                        .collect(Collectors.joining(
                                System.lineSeparator(), "Preflight checks:" + System.lineSeparator(), ""));
    }

    private String lines() {
        return "[%s] %s: %s%n  Fix: %s".formatted(stops ? "FAIL" : "WARN", title, detail, fix);
    }
}
