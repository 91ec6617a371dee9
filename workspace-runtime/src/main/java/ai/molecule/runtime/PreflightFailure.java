package ai.molecule.runtime;

import java.util.List;

/** The agent cannot start, for reasons its owner can put right. */
public final class PreflightFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<PreflightFinding> findings;

    /**
     * @param title what was looked at, in a word or two
     * @param detail what was found
     * @param fix what to do about it, as a sentence
     */
    PreflightFailure(String title, String detail, String fix) {
        this(List.of(PreflightFinding.fails(title, detail, fix)));
    }

    /** @param findings at least one of which stops the start */
    PreflightFailure(List<PreflightFinding> findings) {
        super(findings.stream()
                .filter(PreflightFinding::stops)
                .map(PreflightFinding::detail)
                .findFirst()
                .orElseThrow());
        this.findings = List.copyOf(findings);
    }

    /** In the form the platform shows to people: {@code [FAIL] title: detail} and a line with the fix, for each. */
    public String report() {
        return PreflightFinding.report(findings);
    }
}
