package ai.molecule.proxy.a2a.calls;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that the platform carries for somebody who no longer waits.
 *
 * @param rowId of the activity row that tells how it ended, so that it is written once by whoever goes on with it; null when each
 *     try has its own
 * @param caller in whose name; null for the canvas
 * @param body as the sender wrote it, or already an envelope
 * @param headers those of the sender that the agent gets as they are
 */
public record DeferredMessage(
        @Nullable UUID rowId, UUID target, @Nullable UUID caller, byte[] body, Map<String, String> headers) {}
