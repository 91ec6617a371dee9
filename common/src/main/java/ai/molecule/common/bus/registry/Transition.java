package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a change of status that the caller has witnessed: the provisioner saw a process die or a start fail. Compare and set:
 * applied only while {@code expectedIncarnation} is current and the table of transitions allows it, so repeats change nothing.
 *
 * @param to {@code offline} or {@code failed}
 * @param payload the event's payload: {@code {}} or {@code {"error": …}} and what the contract adds
 * @param error kept as the workspace's last error; null leaves it
 */
public record Transition(
        UUID workspaceId,
        int expectedIncarnation,
        WorkspaceStatus to,
        Map<String, Object> payload,
        @Nullable String error) {

    public static final Contract<Transition, Outcome> CONTRACT =
            Contract.of("registry.transition", Transition.class, Outcome.class);

    /**
     * @param applied whether the status changed
     * @param status the status afterwards
     */
    public record Outcome(boolean applied, WorkspaceStatus status) {}
}
