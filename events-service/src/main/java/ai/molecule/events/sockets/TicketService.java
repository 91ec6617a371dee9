package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Base64;

/**
 * One-time tickets: a browser cannot put a header on a WebSocket, and a bearer in a URL would end up in logs. Stored as hashes.
 */
public final class TicketService {

    static final Duration AGE = Duration.ofSeconds(30);

    private final TicketStore store;

    public TicketService(TicketStore store) {
        this.store = store;
    }

    Future<String> issue() {
        String ticket = Tokens.mint();
        return store.put(keyOf(ticket), AGE).map(ticket);
    }

    /** Fails with UNAUTHENTICATED when it was used, is too old or was never issued. */
    Future<Void> redeem(String ticket) {
        return store.take(keyOf(ticket))
                .compose(taken -> taken
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.unauthenticated("invalid or expired ticket")));
    }

    private static String keyOf(String ticket) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Tokens.hash(ticket));
    }
}
