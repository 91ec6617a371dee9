package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.redis.RedisStore;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * {@link TicketStore} in Redis, so that every replica takes every ticket, and in memory while Redis is away: those are known to
 * this replica only. To be used on one event loop.
 */
public final class RedisTicketStore implements TicketStore {

    private static final String PREFIX = "ws-ticket:";
    private static final int LOCAL_MAX = 10_000;

    private final RedisStore redis;
    private final Map<String, Long> localUntilNanos = new HashMap<>();

    public RedisTicketStore(RedisStore redis) {
        this.redis = redis;
    }

    @Override
    public Future<Void> put(String key, Duration age) {
        var set = Request.cmd(Command.SET).arg(PREFIX + key).arg("1").arg("EX").arg(age.toSeconds());
        return redis.send(set).<Void>mapEmpty().recover(away -> putLocally(key, age));
    }

    /** Redis deletes a key for one of several callers only, and says for which. */
    @Override
    public Future<Boolean> take(String key) {
        Long until = localUntilNanos.remove(key);
        if (until != null) {
            return Future.succeededFuture(System.nanoTime() - until < 0);
        }
        return redis.send(Request.cmd(Command.DEL).arg(PREFIX + key))
                .map(deleted -> deleted != null && deleted.toInteger() == 1)
                .recover(away ->
                        Future.failedFuture(ApiError.unavailable("tickets cannot be checked now, ask for a new one")));
    }

    private Future<Void> putLocally(String key, Duration age) {
        long now = System.nanoTime();
        localUntilNanos.values().removeIf(until -> now - until >= 0);
        if (localUntilNanos.size() >= LOCAL_MAX) {
            return Future.failedFuture(ApiError.unavailable("too many tickets, try again later"));
        }
        localUntilNanos.put(key, now + age.toNanos());
        return Future.succeededFuture();
    }
}
