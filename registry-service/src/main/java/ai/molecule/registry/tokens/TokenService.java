package ai.molecule.registry.tokens;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.auth.VerdictCache;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.registry.tokens.PgTokenStore.Fate;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules about tokens, and the verdicts on them: remembered for at most two seconds, dropped as soon as tokens change here or
 * on another replica. To be used on one event loop.
 */
public final class TokenService implements Credentials {

    private static final Logger LOGGER = LoggerFactory.getLogger(TokenService.class);

    private static final int LIVE_MAX = 50;
    private static final Duration OVERLAP = Duration.ofSeconds(60);
    private static final Duration TOMBSTONE_AGE_MAX = Duration.ofDays(30);
    // so long an agent that outlived its start is told so, instead of that its token is invalid
    private static final Duration EXPIRED_KEPT_FOR = Duration.ofDays(1);
    private static final int SWEPT_AT_ONCE = 1_000;
    private static final int SWEEPS_MAX = 20;
    private static final int USES_MAX = 10_000;

    /** A token in clear, and until when it holds; null for ever. */
    public record Issued(String token, @Nullable Instant expiresAt) {}

    private final PgTokenStore store;
    private final Bus bus;
    private final Clock clock;
    private final @Nullable Duration startLife;
    private final VerdictCache verdicts = new VerdictCache();
    private final Set<String> uses = new HashSet<>();

    /** Of a platform where a start's token holds as long as the start. */
    public TokenService(PgTokenStore store, Bus bus, Clock clock) {
        this(store, bus, clock, null);
    }

    /** @param startLife how long a start's token holds that nobody uses; null for as long as the start */
    public TokenService(PgTokenStore store, Bus bus, Clock clock, @Nullable Duration startLife) {
        this.startLife = startLife;
        this.store = store;
        this.bus = bus;
        this.clock = clock;
        bus.listen(TokensChanged.HINT, hint -> verdicts.changed(hint.workspaceId()));
    }

    @Override
    public Future<Verdict> verify(VerifyToken question) {
        return verify(
                question, asked -> store.verify(List.of(asked), clock.instant()).map(List::getFirst));
    }

    /** The remembered verdict, else what {@code read} finds. */
    Future<Verdict> verify(VerifyToken question, Function<VerifyToken, Future<Verdict>> read) {
        return verdicts.get(question, asked -> read.apply(asked).onSuccess(verdict -> noteUse(asked, verdict)));
    }

    /** Tokens of this workspace were issued or revoked, or what they open has changed: completes when the hint is ahead of whatever follows. */
    public Future<Void> changed(UUID workspaceId) {
        verdicts.changed(workspaceId);
        return bus.publishAhead(TokensChanged.HINT, new TokensChanged(workspaceId));
    }

    /** The same for many. */
    public Future<Void> changed(Collection<UUID> workspaceIds) {
        return Future.join(workspaceIds.stream().map(this::changed).toList()).mapEmpty();
    }

    /** An org token was revoked: as {@link #changed}. */
    public Future<Void> organisationChanged() {
        verdicts.changed(null);
        return bus.publishAhead(TokensChanged.HINT, new TokensChanged(null));
    }

    /** What became of the workspace that this bearer, revoked or not, once belonged to (decision 6). */
    public Future<Fate> fateOf(String bearer, UUID workspaceId) {
        return store.fateOf(Tokens.hash(bearer), workspaceId);
    }

    /**
     * The refusal of an agent, in clear: a process that outlived its start is told so, 401 {@code workspace auth token belongs to
     * an earlier start of this agent}. Any other refusal stays as it is.
     */
    public <T> Future<T> explain(Throwable refusal, @Nullable String bearer, UUID workspaceId) {
        boolean unauthenticated = refusal instanceof ApiError error && error.kind() == ApiError.Kind.UNAUTHENTICATED;
        return bearer == null || !unauthenticated
                ? Future.failedFuture(refusal)
                : store.isOfEarlierStart(Tokens.hash(bearer), workspaceId)
                        .compose(earlier -> Future.failedFuture(
                                earlier
                                        ? ApiError.unauthenticated(
                                                "workspace auth token belongs to an earlier start of this agent")
                                        : refusal));
    }

    public Future<List<WorkspaceToken>> list(UUID workspaceId, int limit, int offset) {
        return store.list(workspaceId, limit, offset, clock.instant());
    }

    /**
     * A further token for a person, in clear; RATE_LIMITED at fifty live ones.
     *
     * @param life null for one that holds until it is revoked
     * @param madeBy with whose right to act there it ends; null for nobody's
     */
    public Future<Issued> issue(UUID workspaceId, @Nullable Duration life, @Nullable UUID madeBy) {
        return issue(workspaceId, LIVE_MAX, life, madeBy);
    }

    /** A further token for tests: without a limit or an end. */
    public Future<Issued> issueForTests(UUID workspaceId) {
        return issue(workspaceId, Integer.MAX_VALUE, null, null);
    }

    public Future<IssueStartToken.Issued> issueForStart(IssueStartToken request) {
        String token = Tokens.mint();
        var now = clock.instant();
        return store.issueForStart(
                        request.workspaceId(), request.incarnation(), token, now, now.plus(OVERLAP), unusedUntil(now))
                .compose(stored -> changed(request.workspaceId()))
                .map(told -> new IssueStartToken.Issued(token));
    }

    private @Nullable Instant unusedUntil(Instant now) {
        return startLife == null ? null : now.plus(startLife);
    }

    /** Fails with NOT_FOUND when there is no such live token. */
    public Future<Void> revoke(UUID workspaceId, UUID tokenId) {
        return store.revoke(workspaceId, tokenId, clock.instant())
                .compose(revoked -> revoked
                        ? changed(workspaceId)
                        : Future.failedFuture(ApiError.notFound("token not found or already revoked")));
    }

    /** Writes down which tokens were used since the last time, and puts off the end of those of current starts. Losing some is harmless. */
    public Future<Void> flushUses() {
        if (uses.isEmpty()) {
            return Future.succeededFuture();
        }
        var noted = List.copyOf(uses);
        uses.clear();
        var now = clock.instant();
        return store.used(noted, now, unusedUntil(now))
                .onFailure(failure -> LOGGER.atDebug().setCause(failure).log("token uses not noted"));
    }

    /** Deletes tokens a day after they expired, at most 20,000 a run; returns how many. */
    public Future<Integer> deleteExpired() {
        return deleteExpired(clock.instant().minus(EXPIRED_KEPT_FOR), 1);
    }

    private Future<Integer> deleteExpired(Instant before, int sweep) {
        return store.deleteExpired(before, SWEPT_AT_ONCE)
                .compose(deleted -> deleted < SWEPT_AT_ONCE || sweep == SWEEPS_MAX
                        ? Future.succeededFuture(deleted)
                        : deleteExpired(before, sweep + 1).map(more -> deleted + more));
    }

    public Future<Void> forgetTombstones() {
        return store.forgetTombstones(clock.instant().minus(TOMBSTONE_AGE_MAX));
    }

    private Future<Issued> issue(UUID workspaceId, int liveMax, @Nullable Duration life, @Nullable UUID madeBy) {
        var now = clock.instant();
        var issued = new Issued(Tokens.mint(), life == null ? null : now.plus(life));
        return store.issue(workspaceId, issued.token, liveMax, issued.expiresAt, madeBy, now)
                .compose(stored -> changed(workspaceId))
                .map(issued);
    }

    void noteUse(VerifyToken question, Verdict verdict) {
        if (question.tokenHash() != null && verdict.holder() != Holder.NOBODY && uses.size() < USES_MAX) {
            uses.add(question.tokenHash());
        }
    }
}
