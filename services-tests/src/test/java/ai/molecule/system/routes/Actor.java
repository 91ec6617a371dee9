package ai.molecule.system.routes;

/** Who walks over the routes, and what it may change. */
enum Actor {
    /** Whatever is of one branch. */
    BRANCH_OPERATOR(50),
    /** Whatever is of one tenant's roots. */
    TENANT_OPERATOR(50),
    /** Nothing: a role of the organization that only looks. */
    VIEWER(8),
    /** By the token of one workspace, what is of that and of those below it. */
    AGENT(30),
    /** All there is. */
    OWNER(75);

    private final int granted;

    Actor(int granted) {
        this.granted = granted;
    }

    /** That many routes that are no GET grant it something, and more: else the walk shows nothing. */
    int granted() {
        return granted;
    }

    /** Whether the things that a request names are used up by it. */
    boolean changesThings() {
        return this != VIEWER;
    }

    /** Whether it is a person with a role for a branch or a tenant. */
    boolean isOperator() {
        return this == BRANCH_OPERATOR || this == TENANT_OPERATOR;
    }

    /** Whether its effects are to stay within a branch. */
    boolean hasBranch() {
        return this == BRANCH_OPERATOR || this == TENANT_OPERATOR || this == AGENT;
    }
}
