package ai.molecule.registry.tokens;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.registry.postgres.BatchedReads;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Verdicts read in batches, one statement for many. To be used on one event loop. */
public final class BatchedVerdicts implements Credentials {

    /** Thousands of agents that speak twice a minute then cost a fraction of a look-up each. */
    private static final Duration LINGER = Duration.ofMillis(10);

    private static final int BATCH = 32;

    private final TokenService tokens;
    private final PgTokenStore store;
    private final Clock clock;
    private final BatchedReads<VerifyToken, Verdict> fresh;
    private final BatchedReads<VerifyToken, Verdict> lingering;

    /** @param context the event loop this is used on */
    public BatchedVerdicts(TokenService tokens, PgTokenStore store, Clock clock, Context context) {
        this.tokens = tokens;
        this.store = store;
        this.clock = clock;
        this.fresh = new BatchedReads<>(context, this::readAll);
        this.lingering = new BatchedReads<>(context, LINGER, BATCH, this::readAll);
    }

    /** For those in no hurry: what is not remembered is read with what others ask within 10 ms. */
    @Override
    public Future<Verdict> verify(VerifyToken question) {
        return tokens.verify(question, asked -> read(lingering, asked));
    }

    /**
     * Serves {@link VerifyToken} for the other services, which remember it for themselves: read after it was asked for, so that two
     * memories do not add up, and whoever asks because something changed is not told what was true before.
     */
    public Future<Verdict> verifyAnew(VerifyToken question) {
        return read(fresh, question).onSuccess(verdict -> tokens.noteUse(question, verdict));
    }

    private static Future<Verdict> read(BatchedReads<VerifyToken, Verdict> reads, VerifyToken question) {
        return reads.read(List.of(question)).map(found -> Objects.requireNonNull(found.get(question)));
    }

    private Future<Map<VerifyToken, Verdict>> readAll(Collection<VerifyToken> questions) {
        var asked = List.copyOf(questions);
        return store.verify(asked, clock.instant()).map(verdicts -> {
            Map<VerifyToken, Verdict> found = HashMap.newHashMap(asked.size());
            for (int i = 0; i < asked.size(); i++) {
                found.put(asked.get(i), verdicts.get(i));
            }
            return found;
        });
    }
}
