package ai.molecule.registry.postgres;

import ai.molecule.common.ApiError;
import ai.molecule.common.tracing.Tracing;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads by key in batches: all that are asked for in one turn of the event loop, or a little longer, or while earlier ones are under
 * way, become one statement. A read is always part of a statement that starts after it was asked for, so it sees whatever was
 * committed before; nothing is remembered. To be used on one event loop.
 *
 * @param <V> immutable: who asks for the same key at the same time gets the same value
 */
public final class BatchedReads<K, V> {

    private static final Logger LOGGER = LoggerFactory.getLogger(BatchedReads.class);

    /** A group is closed once it holds as many; a read for more is a group of its own. */
    private static final int KEYS_MAX = 1_000;

    private static final int WAITING_MAX = 10_000;

    /** Two, so that the database works on one while the answers of the other are sent. */
    private static final int UNDER_WAY_MAX = 2;

    private record Waiting<K, V>(Collection<K> keys, Promise<Map<K, V>> answer) {}

    private final Context context;
    private final Duration linger;
    private final int atOnce;
    private final Function<Collection<K>, Future<Map<K, V>>> statement;
    private final Deque<Waiting<K, V>> waiting = new ArrayDeque<>();
    private int underWay;
    private boolean scheduled;

    /** @param statement one statement and so one snapshot; what it does not find is missing from its answer */
    public BatchedReads(Context context, Function<Collection<K>, Future<Map<K, V>>> statement) {
        this(context, Duration.ZERO, Integer.MAX_VALUE, statement);
    }

    /**
     * @param linger how long a batch waits for company; zero for the end of the turn
     * @param atOnce so many reads wait for no more company
     */
    public BatchedReads(
            Context context, Duration linger, int atOnce, Function<Collection<K>, Future<Map<K, V>>> statement) {
        this.context = context;
        this.linger = linger;
        this.atOnce = atOnce;
        this.statement = statement;
    }

    /**
     * The values of these keys, in one snapshot; others may be beside them, and unknown ones are missing. Fails as the statement
     * does, and with UNAVAILABLE when too many wait.
     */
    public Future<Map<K, V>> read(Collection<K> keys) {
        if (waiting.size() >= WAITING_MAX) {
            return Future.failedFuture(
                    new ApiError(ApiError.Kind.UNAVAILABLE, "too many reads are waiting", Map.of("retry_after", 2)));
        }
        Promise<Map<K, V>> answer = Promise.promise();
        waiting.add(new Waiting<>(keys, answer));
        if (waiting.size() >= atOnce) {
            start();
        } else if (!scheduled && underWay < UNDER_WAY_MAX) {
            scheduled = true;
            if (linger.isZero()) {
                context.runOnContext(turnEnds -> lingered());
            } else {
                context.owner().setTimer(linger.toMillis(), due -> lingered());
            }
        }
        return Tracing.here(answer.future());
    }

    private void lingered() {
        scheduled = false;
        start();
    }

    private void start() {
        while (!waiting.isEmpty() && underWay < UNDER_WAY_MAX) {
            List<Waiting<K, V>> group = new ArrayList<>();
            Set<K> keys = new LinkedHashSet<>();
            do {
                var next = waiting.remove();
                group.add(next);
                keys.addAll(next.keys);
            } while (!waiting.isEmpty() && keys.size() < KEYS_MAX);
            underWay++;
            Future.succeededFuture().compose(nothing -> statement.apply(keys)).onComplete(done -> {
                underWay--;
                start();
                group.forEach(member -> answer(member, done));
            });
        }
    }

    private void answer(Waiting<K, V> member, AsyncResult<Map<K, V>> done) {
        try {
            member.answer.handle(done);
        } catch (RuntimeException thrownByWhoAsked) {
            LOGGER.atError()
                    .setCause(thrownByWhoAsked)
                    .log("the answer to a read was not taken"); // the others still get theirs
        }
    }
}
