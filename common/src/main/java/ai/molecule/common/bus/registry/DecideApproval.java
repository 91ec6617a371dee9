package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * A person decides at a messenger. Called by events-service; the second of two finds it decided, NOT_FOUND, and so does whoever may not look
 * there. FORBIDDEN for who may look and not decide.
 *
 * @param channel by which it came, as the record shows it
 * @param tokenHash of the person there, see {@link LinkChat}
 */
public record DecideApproval(UUID workspaceId, UUID approvalId, boolean approved, String channel, String tokenHash) {

    public static final Contract<DecideApproval, Decided> CONTRACT =
            Contract.of("registry.decide-approval", DecideApproval.class, Decided.class);

    /** @param status {@code approved} or {@code denied} */
    public record Decided(String status) {}
}
