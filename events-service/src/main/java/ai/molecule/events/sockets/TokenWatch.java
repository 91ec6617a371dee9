package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.TokensChanged;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends a socket when the bearer that opened it, or asked for its ticket, would not open it any more: looked at when its workspace's tokens change (a
 * canvas's when any do), and at every interval in case that hint was lost. To be used on one event loop.
 */
public final class TokenWatch {

    /** @param workspaceId null for a canvas */
    private record Opened(@Nullable UUID workspaceId, Supplier<Future<Caller>> again, Runnable whenRevoked) {}

    private final Map<ServerWebSocket, Opened> sockets = new HashMap<>();

    public TokenWatch(Vertx vertx, Bus bus, Duration every) {
        bus.listen(TokensChanged.HINT, changed -> recheck(changed.workspaceId()));
        vertx.setPeriodic(every.toMillis(), timer -> recheck(null));
    }

    /**
     * Watches the socket until {@link #forget}.
     *
     * @param workspaceId of an agent; null for a canvas
     * @param again fails with UNAUTHENTICATED when the socket would not be opened any more
     */
    void watch(
            ServerWebSocket socket, @Nullable UUID workspaceId, Supplier<Future<Caller>> again, Runnable whenRevoked) {
        sockets.put(socket, new Opened(workspaceId, again, whenRevoked));
    }

    void forget(ServerWebSocket socket) {
        sockets.remove(socket);
    }

    /** @param workspaceId null for all */
    private void recheck(@Nullable UUID workspaceId) {
        for (var opened : List.copyOf(sockets.values())) {
            if (workspaceId == null || opened.workspaceId == null || opened.workspaceId.equals(workspaceId)) {
                opened.again.get().onFailure(failure -> {
                    // a registry that does not answer has revoked nothing
                    if (failure instanceof ApiError refused && refused.kind() == ApiError.Kind.UNAUTHENTICATED) {
                        opened.whenRevoked.run();
                    }
                });
            }
        }
    }
}
