package ai.molecule.common.auth;

/**
 * How far what a route changes reaches at most. Every route that is no GET names one on its router's page, beside its {@link Guard}: authority is
 * decided by what an action touches, and the workspace in a path is not always all of it. Where the guard is {@link Guard#ADMIN}, who has a role for
 * a branch or a tenant passes only what stays in it; at other guards the handler refuses what a body names beyond the branch.
 */
public enum Reach {
    /** Looks, or answers that it does nothing. */
    NOTHING("nothing"),
    /** The caller's own account, sessions and tokens. */
    CALLER("the caller alone"),
    /** The workspace that the path or the body names. */
    ONE_WORKSPACE("one workspace"),
    /** That workspace, and what holds for all below it. */
    BRANCH("its branch"),
    /** What all roots of a tenant have in common. */
    TENANT("its tenant"),
    /** What belongs to nobody's branch, or takes something from one branch to another. */
    ORGANISATION("the organization");

    private final String words;

    Reach(String words) {
        this.words = words;
    }

    /** As docs/wire/README.md calls it. */
    public String words() {
        return words;
    }

    /** Whether a role for a branch or a tenant is too little for it, wherever in the branch it begins. */
    boolean leavesTheBranch() {
        return this == TENANT || this == ORGANISATION;
    }
}
