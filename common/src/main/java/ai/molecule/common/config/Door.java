package ai.molecule.common.config;

/**
 * What existing clients need open and a stranger must not find open. In development, and where {@code MOLECULE_ENV} is unset,
 * every door is open; in production each is closed unless its own variable is {@code 1}. docs/operations.md says what each lets in.
 */
public enum Door {
    /** Whoever posts an unknown id to {@code /registry/register} becomes a workspace, unadmitted until a person admits it. */
    REGISTRATION,
    /** A message without any credential counts as the person's. */
    MESSAGES,
    /** A workspace's own token changes its parent, and its name to that of a sibling. */
    SELF_MOVE,
    /** A workspace's own token decides its own approvals. */
    SELF_APPROVAL,
    /** {@code /ws} takes ids that no workspace has. */
    SOCKETS,
    /** One workspace, check-access, viewport, plugins and templates are read without a credential. */
    READING,
    /** {@code /metrics} is read without a credential. */
    METRICS,
    /** Any name may stand in {@code Host}. */
    HOSTS,
    /** Discovery names agents' own addresses to callers that cannot prove themselves there. */
    PEERS;

    /** {@code MOLECULE_OPEN_REGISTRATION} and so on. */
    public String variable() {
        return "MOLECULE_OPEN_" + name();
    }
}
