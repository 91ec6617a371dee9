package ai.molecule.sdk;

/**
 * What the platform wants of a workspace right now.
 *
 * <pre>{@code
 * if (client.pollState().shouldStop()) {
 *     return;
 * }
 * }</pre>
 *
 * @param status such as {@code online}, {@code paused} or {@code removed}; {@code unknown} when the platform does not say
 * @param paused a person paused it; it may go on later
 * @param deleted it is gone for good
 */
public record WorkspaceState(String workspaceId, String status, boolean paused, boolean deleted) {

    /** Whether an agent should end its work. */
    public boolean shouldStop() {
        return paused || deleted;
    }
}
