package ai.molecule.registry.secrets;

import ai.molecule.common.auth.Caller;

/** With which right a secret of a workspace was set, lowest first; stored as its position. */
public enum SetBy {
    AGENT,
    BRANCH,
    ORGANISATION;

    static SetBy of(Caller caller) {
        if (caller.kind() == Caller.Kind.WORKSPACE || caller.kind() == Caller.Kind.ANONYMOUS) {
            return AGENT;
        }
        return caller.isOfBranchesOnly() ? BRANCH : ORGANISATION;
    }
}
