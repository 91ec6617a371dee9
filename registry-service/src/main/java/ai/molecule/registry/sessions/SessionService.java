package ai.molecule.registry.sessions;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules about sessions. */
public final class SessionService {

    private static final Logger LOGGER = LoggerFactory.getLogger(SessionService.class);

    static final Duration LIFE = Duration.ofHours(12);

    /** The oldest ends when there would be one more. */
    private static final int SESSIONS_MAX = 1_000;

    /** What the cookie holds, and until when. */
    record Opened(String token, Instant expiresAt) {}

    private final PgSessionStore store;
    private final TokenService verdicts;
    private final @Nullable String adminToken;
    private final Clock clock;

    /** @param adminToken what opens one; null when nothing does */
    public SessionService(PgSessionStore store, TokenService verdicts, @Nullable String adminToken, Clock clock) {
        this.store = store;
        this.verdicts = verdicts;
        this.adminToken = adminToken;
        this.clock = clock;
    }

    /** Fails with UNAUTHENTICATED for anything but the {@code ADMIN_TOKEN}. */
    Future<Opened> open(String shown) {
        if (adminToken == null || !Tokens.same(shown, adminToken)) {
            return Future.failedFuture(ApiError.unauthenticated("invalid admin auth token"));
        }
        var now = clock.instant();
        var opened = new Opened(Tokens.mint(), now.plus(LIFE));
        return store.insert(opened.token, madeWith(), now, opened.expiresAt, SESSIONS_MAX - 1)
                .map(stored -> {
                    LOGGER.atInfo().log("session opened");
                    return opened;
                });
    }

    /** Until when one holds; empty for none. */
    Future<Optional<Instant>> expiryOf(String token) {
        return store.expiryOf(token, clock.instant());
    }

    /** When this completes nobody believes an older verdict on it. One that is over already stays so. */
    Future<Void> end(String token) {
        return store.end(token).compose(this::tell);
    }

    /** Forgets what is over, and ends what an earlier {@code ADMIN_TOKEN} opened. */
    public Future<Void> sweep() {
        return store.endOver(madeWith(), clock.instant()).compose(this::tell);
    }

    private Future<Void> tell(boolean ended) {
        return ended ? verdicts.organisationChanged() : Future.succeededFuture();
    }

    private int madeWith() {
        byte[] hash = Tokens.hash("session:" + adminToken);
        return Byte.toUnsignedInt(hash[0]) << Byte.SIZE | Byte.toUnsignedInt(hash[1]);
    }
}
