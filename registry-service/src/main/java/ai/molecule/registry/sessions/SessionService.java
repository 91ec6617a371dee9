package ai.molecule.registry.sessions;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.http.SessionCookie;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules about sessions. */
public final class SessionService {

    private static final Logger LOGGER = LoggerFactory.getLogger(SessionService.class);

    public static final Duration LIFE = Duration.ofHours(12);

    /** The oldest ends when there would be one more. */
    private static final int SESSIONS_MAX = 1_000;

    /** Of one person; the oldest ends when there would be one more. */
    private static final int PERSONS_SESSIONS_MAX = 20;

    /**
     * One that begins, in the two halves in which a browser holds it.
     *
     * @param proof what the page keeps
     */
    public record Opened(String cookie, String proof, Instant expiresAt) {

        /** What is kept, by hash. */
        String token() {
            return SessionCookie.joined(cookie, proof);
        }
    }

    /**
     * Where a person sits.
     *
     * @param agent what the browser calls itself
     * @param proof what its page keeps already; null for a new one
     * @param provider where it signed in; null for an account of the platform
     * @param idToken what ends the session there too
     * @param providerSession its name there; null where it has none
     */
    public record Sitting(
            @Nullable String address,
            @Nullable String agent,
            @Nullable String proof,
            @Nullable String provider,
            @Nullable String idToken,
            @Nullable String providerSession) {}

    /** @param person null for whoever showed the {@code ADMIN_TOKEN} */
    record Held(
            Instant expiresAt,
            @Nullable UUID person,
            @Nullable String provider,
            @Nullable String idToken) {}

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
        var opened = new Opened(Tokens.mint(), Tokens.mint(), now.plus(LIFE));
        return store.insert(opened.token(), madeWith(), now, opened.expiresAt, SESSIONS_MAX - 1)
                .map(stored -> {
                    LOGGER.atInfo().log("session opened");
                    return opened;
                });
    }

    /** For a person who has just proven who it is: always a new one, whatever was there before. */
    public Future<Opened> openFor(UUID person, Sitting sitting) {
        var now = clock.instant();
        String proof = sitting.proof == null ? Tokens.mint() : sitting.proof;
        var opened = new Opened(Tokens.mint(), proof, now.plus(LIFE));
        return store.insert(opened.token(), person, sitting, now, opened.expiresAt, PERSONS_SESSIONS_MAX - 1)
                .compose(stored -> verdicts.organisationChanged()) // an older one may have ended for it
                .map(told -> {
                    LOGGER.atInfo().addKeyValue("personId", person).log("session of a person opened");
                    return opened;
                });
    }

    /** What a session's token stands for; empty for nothing. */
    Future<Optional<Held>> find(String token) {
        return store.find(token, clock.instant());
    }

    Future<List<PersonSession>> list(UUID person) {
        return store.list(person, clock.instant());
    }

    /** Ends one of a person's; fails with NOT_FOUND when it has no such session. */
    Future<Void> end(UUID person, UUID id) {
        return store.end(person, id)
                .compose(ended -> ended
                        ? verdicts.organisationChanged()
                        : Future.failedFuture(ApiError.notFound("session not found")));
    }

    /** Ends those that came from there, in one with remembering the token; false for one that was taken before. */
    Future<Boolean> endedAt(ProviderLogout logout) {
        byte[] hash = Tokens.hash(logout.issuer() + " " + logout.tokenId());
        return store.endAt(logout, hash).compose(ended -> {
            if (ended.isEmpty()) {
                return Future.succeededFuture(false);
            }
            LOGGER.atInfo().addKeyValue("provider", logout.provider()).log("signed out at the provider");
            return tell(ended.get()).map(true);
        });
    }

    /** Ends all of a person's, and what they granted that is not a token yet. */
    Future<Void> endAll(UUID person) {
        return store.endAll(person).compose(this::tell);
    }

    /** When this completes nobody believes an older verdict on it. One that is over already stays so. */
    public Future<Void> end(String token) {
        return store.end(token).compose(this::tell);
    }

    /** Forgets what is over, and ends what an earlier {@code ADMIN_TOKEN} opened. */
    public Future<Void> sweep() {
        var now = clock.instant();
        return store.forgetLogouts(now)
                .compose(forgotten -> store.endOver(madeWith(), now))
                .compose(this::tell);
    }

    private Future<Void> tell(boolean ended) {
        return ended ? verdicts.organisationChanged() : Future.succeededFuture();
    }

    private int madeWith() {
        byte[] hash = Tokens.hash("session:" + adminToken);
        return Byte.toUnsignedInt(hash[0]) << Byte.SIZE | Byte.toUnsignedInt(hash[1]);
    }
}
