package ai.molecule.events.hub;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.bus.Bus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ends a subscriber, socket or stream, when the bearer that opened it, or asked for its ticket, would not open it any more. To be used on one event loop. */
public final class TokenWatch {

    private final CredentialWatch<Subscriber> watch;

    public TokenWatch(Vertx vertx, Bus bus, Duration every) {
        watch = new CredentialWatch<>(vertx, bus, every);
    }

    /**
     * Watches the subscriber until {@link #forget}.
     *
     * @param workspaceId whose tokens matter; null for a canvas
     * @param again fails with FORBIDDEN while the subscriber's workspace is paused, with another refusal when it would not be let in any
     * more
     */
    public void watch(Subscriber subscriber, @Nullable UUID workspaceId, Supplier<Future<Caller>> again) {
        watch.watch(
                subscriber,
                workspaceId == null ? Set.of() : Set.of(workspaceId),
                again,
                refused -> subscriber.close(
                        refused.kind() == ApiError.Kind.FORBIDDEN ? CloseReason.PAUSED : CloseReason.REVOKED));
    }

    public void forget(Subscriber subscriber) {
        watch.forget(subscriber);
    }
}
