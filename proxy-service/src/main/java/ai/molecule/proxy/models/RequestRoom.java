package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How many calls of models are under way, of whom, and how many bytes of their requests are held. To be used on one event loop. */
final class RequestRoom {

    private final ModelLimits limits;
    private final Map<UUID, Held> held = new HashMap<>();
    private int calls;
    private long bytes;

    /** What one workspace has under way. */
    private record Held(int calls, long bytes) {

        private static final Held NOTHING = new Held(0, 0);

        private @Nullable Held withCalls(int more) {
            return new Held(calls + more, bytes).orNone();
        }

        private @Nullable Held withBytes(long more) {
            return new Held(calls, bytes + more).orNone();
        }

        private @Nullable Held orNone() {
            return calls == 0 && bytes == 0 ? null : this;
        }
    }

    RequestRoom(ModelLimits limits) {
        this.limits = limits;
    }

    boolean isFull() {
        return bytes >= limits.requestsMaxBytes();
    }

    /** Of requests that have not been sent yet. */
    long bytes() {
        return bytes;
    }

    /** A call begins, whose request has this many bytes. Throws RATE_LIMITED when too much is under way. */
    void enter(UUID workspaceId, int size) {
        var own = held.getOrDefault(workspaceId, Held.NOTHING);
        if (own.calls >= limits.workspaceCallsMax() || calls >= limits.callsMax()) {
            throw tooMany(
                    own.calls >= limits.workspaceCallsMax()
                            ? own.calls + " calls of models are under way for this workspace"
                            : calls + " calls of models are under way");
        }
        if (own.calls > 0 && own.bytes + size > limits.workspaceRequestsMaxBytes()) {
            throw tooMany(own.bytes + " bytes of requests of this workspace wait for models");
        }
        held.put(workspaceId, new Held(own.calls + 1, own.bytes + size));
        calls++;
        bytes += size;
    }

    /** Of a call's request fewer bytes are held by {@code size}; more where that is negative. */
    void release(UUID workspaceId, int size) {
        bytes -= size;
        held.computeIfPresent(workspaceId, (same, own) -> own.withBytes(-size));
    }

    /** A call ended, whose bytes were released. */
    void leave(UUID workspaceId) {
        calls--;
        held.computeIfPresent(workspaceId, (same, own) -> own.withCalls(-1));
    }

    private static ApiError tooMany(String what) {
        return new ApiError(
                ApiError.Kind.RATE_LIMITED,
                what + ", as many as may be: wait for one to end",
                Map.of("retry_after", 1));
    }
}
