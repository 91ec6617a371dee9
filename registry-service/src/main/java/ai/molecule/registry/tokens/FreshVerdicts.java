package ai.molecule.registry.tokens;

import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.registry.postgres.GroupedReads;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Verdicts for the other services, which remember them for themselves: each is read after it was asked for, so that two memories do
 * not add up, and whoever asks because something changed is not told what was true before. To be used on one event loop.
 */
public final class FreshVerdicts {

    private final TokenService tokens;
    private final PgTokenStore store;
    private final Clock clock;
    private final GroupedReads<VerifyToken, Verdict> reads;

    /** @param context the event loop this is used on */
    public FreshVerdicts(TokenService tokens, PgTokenStore store, Clock clock, Context context) {
        this.tokens = tokens;
        this.store = store;
        this.clock = clock;
        this.reads = new GroupedReads<>(context, this::readAll);
    }

    /** Serves {@link VerifyToken}. */
    public Future<Verdict> verify(VerifyToken question) {
        return reads.read(List.of(question))
                .map(found -> Objects.requireNonNull(found.get(question)))
                .onSuccess(verdict -> tokens.noteUse(question, verdict));
    }

    private Future<Map<VerifyToken, Verdict>> readAll(Collection<VerifyToken> questions) {
        var asked = List.copyOf(questions);
        return store.verifyAll(asked, clock.instant()).map(verdicts -> {
            Map<VerifyToken, Verdict> found = HashMap.newHashMap(asked.size());
            for (int i = 0; i < asked.size(); i++) {
                found.put(asked.get(i), verdicts.get(i));
            }
            return found;
        });
    }
}
