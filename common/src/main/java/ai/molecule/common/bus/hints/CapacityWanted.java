package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;
import java.util.List;
import java.util.UUID;

/**
 * Messages wait for these workspaces, at most 1000 of them; the registry answers their next heartbeat with capacity by {@link DrainQueue}.
 * Told when one begins to wait and again every few seconds while any does; forgotten 30 s after the last time.
 */
public record CapacityWanted(List<UUID> workspaceIds) {

    public static final Hint<CapacityWanted> HINT = new Hint<>("hint.capacity-wanted", CapacityWanted.class);
}
