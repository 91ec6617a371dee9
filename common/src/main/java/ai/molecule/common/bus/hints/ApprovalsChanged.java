package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;

/** Approvals that name a task were asked for or ended. A lost one costs two seconds, because the proxy looks by itself. */
public record ApprovalsChanged() {

    public static final Hint<ApprovalsChanged> HINT = new Hint<>("hint.approvals-changed", ApprovalsChanged.class);
}
