package ai.molecule.registry.lifecycle;

import static ai.molecule.common.workspaces.WorkspaceStatus.AWAITING_AGENT;
import static ai.molecule.common.workspaces.WorkspaceStatus.DEGRADED;
import static ai.molecule.common.workspaces.WorkspaceStatus.FAILED;
import static ai.molecule.common.workspaces.WorkspaceStatus.HIBERNATED;
import static ai.molecule.common.workspaces.WorkspaceStatus.OFFLINE;
import static ai.molecule.common.workspaces.WorkspaceStatus.ONLINE;
import static ai.molecule.common.workspaces.WorkspaceStatus.PAUSED;
import static ai.molecule.common.workspaces.WorkspaceStatus.PROVISIONING;
import static ai.molecule.common.workspaces.WorkspaceStatus.REMOVED;

import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Every legal change of status, in one table (decision 3). What is not here does not happen: in particular nothing leaves {@code
 * removed}, and nothing an agent says lifts {@code paused}.
 */
public final class LegalTransitions {

    /** From any of {@code from}, {@code trigger} leads to {@code to}. */
    public record Row(Trigger trigger, WorkspaceStatus to, Set<WorkspaceStatus> from) {}

    public static final List<Row> ROWS = List.of(
            row(Trigger.REGISTERED, ONLINE, PROVISIONING, OFFLINE, AWAITING_AGENT, FAILED, DEGRADED),
            row(Trigger.HEARTBEAT, ONLINE, PROVISIONING, OFFLINE, AWAITING_AGENT),
            row(Trigger.ERRORS_HIGH, DEGRADED, ONLINE),
            row(Trigger.ERRORS_LOW, ONLINE, DEGRADED),
            row(Trigger.SILENCE, OFFLINE, ONLINE, DEGRADED),
            row(Trigger.PROCESS_EXIT, OFFLINE, PROVISIONING, ONLINE, DEGRADED),
            row(Trigger.START_FAILURE, FAILED, PROVISIONING, OFFLINE),
            row(
                    Trigger.RESTART,
                    PROVISIONING,
                    PROVISIONING,
                    ONLINE,
                    DEGRADED,
                    OFFLINE,
                    PAUSED,
                    FAILED,
                    AWAITING_AGENT,
                    HIBERNATED),
            row(Trigger.PAUSE, PAUSED, PROVISIONING, ONLINE, DEGRADED, OFFLINE, FAILED, AWAITING_AGENT, HIBERNATED),
            row(Trigger.RESUME, PROVISIONING, PAUSED),
            row(Trigger.IDLENESS, HIBERNATED, ONLINE, DEGRADED),
            row(Trigger.WAKING, PROVISIONING, HIBERNATED),
            row(
                    Trigger.REMOVAL,
                    REMOVED,
                    PROVISIONING,
                    ONLINE,
                    DEGRADED,
                    OFFLINE,
                    PAUSED,
                    FAILED,
                    AWAITING_AGENT,
                    HIBERNATED));

    private LegalTransitions() {}

    /** Where {@code trigger} leads from {@code from}; empty when it may not. */
    public static Optional<WorkspaceStatus> next(WorkspaceStatus from, Trigger trigger) {
        return ROWS.stream()
                .filter(row -> row.trigger == trigger && row.from.contains(from))
                .map(Row::to)
                .findFirst();
    }

    private static Row row(Trigger trigger, WorkspaceStatus to, WorkspaceStatus... from) {
        return new Row(trigger, to, Set.of(from));
    }
}
