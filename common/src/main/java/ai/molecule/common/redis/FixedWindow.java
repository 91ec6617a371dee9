package ai.molecule.common.redis;

import ai.molecule.common.db.SharedWindows;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens per key in windows of a fixed length: in Redis so that replicas share the count, locally while Redis is away,
 * and where there is none locally with what {@link SharedWindows} heard of the other replicas.
 */
public final class FixedWindow {

    private static final int LOCAL_KEYS_MAX = 100_000;

    /** INCR and EXPIRE in one step: a counter can never stay without its expiry. */
    private static final String COUNT = """
            local n = redis.call('INCR', KEYS[1])
            if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
            return n
            """;

    /**
     * Where a key stands after it was counted.
     *
     * @param resetSeconds whole seconds until its count starts anew
     */
    public record Count(long used, int limit, long resetSeconds) {

        public boolean exceeded() {
            return used > limit;
        }

        /** Whether the next one would exceed it. */
        public boolean exhausted() {
            return used >= limit;
        }

        public long remaining() {
            return Math.max(0, limit - used);
        }
    }

    private final RedisStore redis;
    private final @Nullable SharedWindows others;
    private final Clock clock;
    private final String name;
    private final int limit;
    private final long seconds;
    private final Map<String, Integer> local = new ConcurrentHashMap<>();
    private long localWindow;

    /**
     * @param others where there is no Redis
     * @param name the first part of its keys in Redis
     */
    public FixedWindow(
            RedisStore redis, @Nullable SharedWindows others, Clock clock, String name, int limit, Duration length) {
        this.redis = redis;
        this.others = others;
        this.clock = clock;
        this.name = name;
        this.limit = limit;
        this.seconds = length.toSeconds();
    }

    /** Counts one; never fails. */
    public Future<Count> count(String key) {
        long now = clock.instant().getEpochSecond();
        long window = now / seconds;
        String counter = counterOf(key, window);
        return redis.send(
                        Request.cmd(Command.EVAL).arg(COUNT).arg(1).arg(counter).arg(2 * seconds))
                .map(answer -> answer == null ? 0L : answer.toLong())
                .otherwise(away -> countWithoutRedis(counter, window))
                .map(used -> counted(used, now));
    }

    /** Where a key stands, without counting one; never fails. */
    public Future<Count> look(String key) {
        long now = clock.instant().getEpochSecond();
        long window = now / seconds;
        String counter = counterOf(key, window);
        return redis.send(Request.cmd(Command.GET).arg(counter))
                .map(answer -> answer == null ? 0L : answer.toLong())
                .otherwise(away -> lookWithoutRedis(counter, window))
                .map(used -> counted(used, now));
    }

    private String counterOf(String key, long window) {
        return name + ":" + key + ":" + window;
    }

    private Count counted(long used, long now) {
        return new Count(used, limit, seconds - now % seconds);
    }

    private long lookWithoutRedis(String counter, long window) {
        long used = lookLocally(counter, window);
        return others == null ? used : used + others.heard(counter);
    }

    private synchronized long lookLocally(String counter, long window) {
        return window == localWindow ? local.getOrDefault(counter, 0) : 0;
    }

    private long countWithoutRedis(String counter, long window) {
        long used = countLocally(counter, window);
        return others == null ? used : used + others.counted(counter, seconds, (window + 1) * seconds);
    }

    private synchronized long countLocally(String counter, long window) {
        if (window != localWindow || local.size() >= LOCAL_KEYS_MAX) {
            local.clear();
            localWindow = window;
        }
        return local.merge(counter, 1, Integer::sum);
    }
}
