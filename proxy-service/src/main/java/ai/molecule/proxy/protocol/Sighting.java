package ai.molecule.proxy.protocol;

import org.jspecify.annotations.Nullable;

/**
 * What an event or an answer says about a task.
 *
 * @param taskId at most 256 characters, storable
 * @param contextId the same; null when not said
 * @param state null when it says nothing about the state, or one nobody knows
 * @param status the protocol's {@code status} object as JSON text; null exactly when {@code state} is
 */
public record Sighting(
        String taskId,
        @Nullable String contextId,
        @Nullable TaskState state,
        @Nullable String status) {

    /** What is known after a later one of the same task, which may say less. */
    public Sighting then(Sighting later) {
        return new Sighting(
                taskId,
                later.contextId == null ? contextId : later.contextId,
                later.state == null ? state : later.state,
                later.state == null ? status : later.status);
    }
}
