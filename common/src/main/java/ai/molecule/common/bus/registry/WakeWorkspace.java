package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * Has an agent that sleeps started. Called by whoever has something for it: the proxy for a message, the provisioner for a person. However
 * many ask at once, one of them begins the start and the others find it begun; so it may be repeated.
 *
 * <p>Fails with NOT_FOUND for an unknown or removed workspace, and with CONFLICT for one that is quarantined or below a paused one.
 */
public record WakeWorkspace(UUID workspaceId) {

    public static final Contract<WakeWorkspace, Woken> CONTRACT =
            Contract.of("registry.wake-workspace", WakeWorkspace.class, Woken.class);

    /** @param begun whether this call began the start */
    public record Woken(boolean begun) {}
}
