package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;

/**
 * Gives a workspace the schedules that its organisation's file says. Called by the provisioner when the workspace was made; idempotent by
 * their names, so that a call without an answer is simply made again. One of a name that a person made stays as it is. Fails with NOT_FOUND for an
 * unknown workspace, CONFLICT for a removed one, INVALID for a schedule that {@code ScheduleSpec} refuses, and then sets none.
 *
 * @param schedules each a JSON object with the members of {@code POST /workspaces/:id/schedules}, named; at most 100
 */
public record SetSchedules(UUID workspaceId, List<String> schedules) {

    public static final int SCHEDULES_MAX = 100;

    public static final Contract<SetSchedules, Done> CONTRACT =
            Contract.of("proxy.set-schedules", SetSchedules.class, Done.class);

    public SetSchedules {
        schedules = List.copyOf(schedules);
        if (schedules.size() > SCHEDULES_MAX) {
            throw new IllegalArgumentException("a workspace has at most " + SCHEDULES_MAX + " schedules");
        }
    }

    public record Done(int count) {}
}
