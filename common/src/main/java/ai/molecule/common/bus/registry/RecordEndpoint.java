package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * Tells where a provisioned agent listens. Called by the provisioner after every start and re-adoption; idempotent, and ignored
 * when the incarnation is no longer current.
 *
 * @param url where the platform reaches it
 * @param internalUrl where other agents reach it
 */
public record RecordEndpoint(UUID workspaceId, int incarnation, String url, String internalUrl) {

    public static final Contract<RecordEndpoint, Recorded> CONTRACT =
            Contract.of("registry.record-endpoint", RecordEndpoint.class, Recorded.class);

    /** False when the incarnation was no longer current. */
    public record Recorded(boolean current) {}
}
