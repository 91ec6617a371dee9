package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;

/** Sets {@code last_outbound_at} of callers whose message was delivered. Called by the proxy in batches of at most 500; idempotent. */
public record TouchOutbound(List<UUID> workspaceIds) {

    public static final Contract<TouchOutbound, Touched> CONTRACT =
            Contract.of("registry.touch-outbound", TouchOutbound.class, Touched.class);

    /** How many rows were touched. */
    public record Touched(int count) {}
}
