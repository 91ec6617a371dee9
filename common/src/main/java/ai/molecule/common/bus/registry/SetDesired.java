package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Changes what is wanted of a workspace, its status and the event, in one transaction. Called by the provisioner for the
 * restart, pause and resume routes and for its own restarts. A restart with {@code expectedIncarnation} is idempotent by it:
 * of several, one bumps the incarnation and the others change nothing.
 *
 * <p>Fails with UNAVAILABLE while automatic restarts are frozen (after many deaths at once; try again), with NOT_FOUND ({@code workspace not found}, {@code workspace not found or already paused}, {@code workspace not
 * found or not paused}) and CONFLICT when an ancestor is paused, each with the contract's text; with FORBIDDEN when a branch asks for
 * a workspace to run that the organisation paused.
 *
 * @param runtime for a restart: the runtime read from the agent's own config; null keeps the stored one
 * @param expectedIncarnation act only while this is the current incarnation; null for a person's request
 * @param ofBranch asked for by somebody who does not rule the organisation: its pauses are a branch's, and it ends no pause of the
 *     organisation; false where it is not said
 */
public record SetDesired(
        UUID workspaceId,
        Action action,
        @Nullable String runtime,
        @Nullable Integer expectedIncarnation,
        boolean ofBranch) {

    /** Asked for by the organisation, or by the platform itself. */
    public SetDesired(
            UUID workspaceId, Action action, @Nullable String runtime, @Nullable Integer expectedIncarnation) {
        this(workspaceId, action, runtime, expectedIncarnation, false);
    }

    public static final Contract<SetDesired, Done> CONTRACT =
            Contract.of("registry.set-desired", SetDesired.class, Done.class);

    /** What is asked for. Pause and resume include the descendants that they apply to. */
    public enum Action {
        RESTART,
        PAUSE,
        RESUME
    }

    /**
     * @param changed every workspace whose desired state or incarnation changed, the asked one first; empty when
     *     {@code expectedIncarnation} was no longer current
     */
    public record Done(List<UUID> changed) {}
}
