package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.redis.RedisStore;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@link TicketStore} in Redis, so that every replica takes every ticket, and in memory while Redis is away: those are known to
 * this replica only. To be used on one event loop.
 */
public final class RedisTicketStore implements TicketStore {

    private static final String PREFIX = "ws-ticket:";
    private static final int LOCAL_MAX = 10_000;

    private final RedisStore redis;
    private final Map<String, Local> locals = new HashMap<>();

    private record Local(String value, long untilNanos) {}

    public RedisTicketStore(RedisStore redis) {
        this.redis = redis;
    }

    @Override
    public Future<Void> put(String key, String value, Duration age) {
        var set =
                Request.cmd(Command.SET).arg(PREFIX + key).arg(value).arg("EX").arg(age.toSeconds());
        return redis.send(set).<Void>mapEmpty().recover(away -> putLocally(key, value, age));
    }

    /** Redis hands a key that it deletes to one of several callers only. */
    @Override
    public Future<Optional<String>> take(String key) {
        var local = locals.remove(key);
        if (local != null) {
            return Future.succeededFuture(
                    Optional.of(local.value).filter(value -> System.nanoTime() - local.untilNanos < 0));
        }
        return redis.send(Request.cmd(Command.GETDEL).arg(PREFIX + key))
                .map(value -> Optional.ofNullable(value).map(Object::toString))
                .recover(away ->
                        Future.failedFuture(ApiError.unavailable("tickets cannot be checked now, ask for a new one")));
    }

    private Future<Void> putLocally(String key, String value, Duration age) {
        long now = System.nanoTime();
        locals.values().removeIf(local -> now - local.untilNanos >= 0);
        if (locals.size() >= LOCAL_MAX) {
            return Future.failedFuture(ApiError.unavailable("too many tickets, try again later"));
        }
        locals.put(key, new Local(value, now + age.toNanos()));
        return Future.succeededFuture();
    }
}
