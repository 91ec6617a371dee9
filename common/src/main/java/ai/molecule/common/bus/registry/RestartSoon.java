package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * Has an agent start anew because something it reads at its start has changed: a plugin. Called by the provisioner when the
 * change is on its disk. The request is stored, carried out when changes have paused for 2 s, and replaces just the start that
 * may not know of the change; so it may be repeated.
 */
public record RestartSoon(UUID workspaceId) {

    public static final Contract<RestartSoon, Asked> CONTRACT =
            Contract.of("registry.restart-soon", RestartSoon.class, Asked.class);

    /** False for a workspace whose agent is not ours to restart, or not now: external, paused, removed, registered by hand. */
    public record Asked(boolean restarts) {}
}
