package ai.molecule.common.auth;

/**
 * What a route asks of its caller. Every route names one on its router's page. Of people those that ask for an administrator or a workspace
 * ask for a role besides, {@link Role#VIEWER} for GET and {@link Role#OPERATOR} for everything else: for the organisation, or for the
 * workspace in the path.
 */
public enum Guard {
    /** Asks nothing: everybody passes. */
    OPEN,
    /** An admin or org token; without {@code ADMIN_TOKEN} any live workspace token, or nothing while none exists. */
    ADMIN,
    /** An admin or org token, or a live token of the workspace in the path's {@code :id}. */
    WORKSPACE,
    /** Any live credential; nothing while {@link ai.molecule.common.config.Door#READING} is open. */
    CREDENTIAL,
    /** As CREDENTIAL, for {@link ai.molecule.common.config.Door#METRICS}. */
    METRICS,
    /** As WORKSPACE, also for one that is paused: the results of work it had. */
    RESULTS,
    /** As WORKSPACE, but not for one that nobody admitted: what reaches a person or others. */
    ADMITTED,
    /** As LISTING, for a POST that only looks: of people a viewer will do. */
    LOOKING,
    /** As ADMIN, and a person of branches, who is shown what is in them; what changes something asks the handler at which workspace. */
    LISTING,
    /** As ADMIN, and of people only owners: what concerns the organisation as a whole. */
    OWNER,
    /** A person, by a session or a token of its own, whatever its role. */
    PERSON,
    /** For the canvas viewport: an admin or any workspace token, or a listed Origin. */
    CANVAS_OR_BEARER,
    /** The handler checks by itself, because whom to ask for stands in the body or a header. */
    HANDLER
}
