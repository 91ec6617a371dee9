package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Tokens;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One-time tickets: a browser cannot put a header on a WebSocket, and a bearer in a URL would end up in logs. Stored as hashes.
 */
public record TicketService(TicketStore store) {

    static final Duration AGE = Duration.ofSeconds(30);

    private static final String NOBODY = "-";

    /** @param bearer of whoever asks; null when nothing but the hatch let them in */
    Future<String> issue(@Nullable String bearer) {
        String ticket = Tokens.mint();
        String issuer = bearer == null ? NOBODY : Credentials.hashOf(bearer);
        return store.put(keyOf(ticket), issuer, AGE).map(ticket);
    }

    /**
     * The hash of the bearer that asked for it: the ticket opens what that bearer opens now, and no longer. Empty when there was
     * none. Fails with UNAUTHENTICATED when the ticket was used, is too old or was never issued.
     */
    Future<Optional<String>> redeem(String ticket) {
        return store.take(keyOf(ticket))
                .map(taken -> taken.orElseThrow(() -> ApiError.unauthenticated("invalid or expired ticket")))
                .map(issuer -> Optional.of(issuer).filter(hash -> !hash.equals(NOBODY)));
    }

    private static String keyOf(String ticket) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Tokens.hash(ticket));
    }
}
