package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;
import java.util.Set;
import java.util.UUID;

/** New activity rows of these workspaces can be read. Published by events-service after the commit, for those who wait for them. */
public record ActivityArrived(Set<UUID> workspaceIds) {

    public static final Hint<ActivityArrived> HINT = new Hint<>("hint.activity-arrived", ActivityArrived.class);
}
