package ai.molecule.common.redis;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Redis commands that fail fast and recover by themselves: every command takes a pooled connection, a broken one is replaced by
 * the pool, and after a failure commands are refused for {@value #PAUSE_MILLIS} ms so that an absent Redis costs no waiting.
 */
public final class RedisStore {

    private static final Logger LOGGER = LoggerFactory.getLogger(RedisStore.class);

    private static final long COMMAND_TIMEOUT_MILLIS = 500;
    private static final long PAUSE_MILLIS = 500;
    private static final long RESUBSCRIBE_MILLIS = 500;
    private static final int POOL_MAX = 6;
    private static final int POOL_WAITING_MAX = 10_000;
    private static final int PIPELINE_MAX = 10_000;

    private final Vertx vertx;
    private final Redis redis;
    private final String url;
    private final Set<Redis> subscribing = ConcurrentHashMap.newKeySet();
    private volatile long pausedUntilNanos;
    private volatile boolean healthy = true;
    private volatile boolean closed;

    public RedisStore(Vertx vertx, String url) {
        this.vertx = vertx;
        this.url = url;
        this.redis = Redis.createClient(
                vertx,
                new RedisOptions()
                        .setConnectionString(url)
                        .setMaxPoolSize(POOL_MAX)
                        .setMaxPoolWaiting(POOL_WAITING_MAX)
                        .setMaxWaitingHandlers(PIPELINE_MAX));
        this.pausedUntilNanos = System.nanoTime();
    }

    /** Fails within half a second when Redis is away; the caller goes on without. */
    public Future<@Nullable Response> send(Request request) {
        return guarded(() -> redis.send(request));
    }

    /** Several commands in one round trip; empty input is a success without one. */
    public Future<List<Response>> batch(List<Request> requests) {
        return requests.isEmpty() ? Future.succeededFuture(List.of()) : guarded(() -> redis.batch(requests));
    }

    public Future<@Nullable String> get(String key) {
        return send(Request.cmd(Command.GET).arg(key)).map(answer -> answer == null ? null : answer.toString());
    }

    public Future<?> delete(List<String> keys) {
        var request = Request.cmd(Command.DEL);
        keys.forEach(request::arg);
        return send(request);
    }

    /** Whether the last command succeeded. */
    public boolean healthy() {
        return healthy;
    }

    /**
     * Keeps a pattern subscription alive for the life of this store. Messages published while the connection is down are lost.
     *
     * @param listener gets the message text
     */
    public void subscribe(String pattern, Consumer<String> listener) {
        if (closed) {
            return;
        }
        var connecting = Redis.createClient(vertx, new RedisOptions().setConnectionString(url));
        subscribing.add(connecting);
        Promise<Void> over =
                Promise.promise(); // a connection that breaks is told of by its end and by what was sent on it
        over.future().onComplete(broken -> {
            subscribing.remove(connecting);
            connecting.close();
            resubscribe(pattern, listener);
        });
        connecting
                .connect()
                .compose(connection -> {
                    connection.handler(message -> relay(message, listener));
                    connection.exceptionHandler(
                            broken -> LOGGER.atDebug().setCause(broken).log("redis subscription broke"));
                    connection.endHandler(end -> over.tryComplete());
                    return connection.send(Request.cmd(Command.PSUBSCRIBE).arg(pattern));
                })
                .onFailure(absent -> over.tryComplete());
    }

    private static void relay(Response message, Consumer<String> listener) {
        if (message.size() == 4 && "pmessage".equals(message.get(0).toString())) {
            listener.accept(message.get(3).toString());
        }
    }

    private void resubscribe(String pattern, Consumer<String> listener) {
        if (!closed) {
            vertx.setTimer(RESUBSCRIBE_MILLIS, timer -> subscribe(pattern, listener));
        }
    }

    public Future<Void> close() {
        closed = true;
        var subscriptions = subscribing.stream().map(Redis::close).toList();
        return Future.join(subscriptions).eventually(redis::close).mapEmpty();
    }

    private <T> Future<T> guarded(java.util.function.Supplier<Future<T>> command) {
        if (System.nanoTime() - pausedUntilNanos < 0) {
            return Future.failedFuture("redis is away");
        }
        return command.get()
                .timeout(COMMAND_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                .onSuccess(answer -> {
                    if (!healthy) {
                        LOGGER.info("redis is back");
                        healthy = true;
                    }
                })
                .onFailure(failure -> {
                    pausedUntilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
                    if (healthy) {
                        LOGGER.atWarn().setCause(failure).log("redis is away");
                        healthy = false;
                    }
                });
    }
}
