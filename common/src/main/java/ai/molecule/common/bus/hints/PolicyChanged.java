package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;

/** A rule of the policy was made, changed or deleted. A lost one costs four seconds: so long is remembered what rules there are, and what they said. */
public record PolicyChanged() {

    public static final Hint<PolicyChanged> HINT = new Hint<>("hint.policy-changed", PolicyChanged.class);
}
