package ai.molecule.common.redis;

import ai.molecule.common.net.Circuit;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Redis commands that fail fast and recover by themselves: every command takes a pooled connection, a broken one is replaced by
 * the pool, and while Redis is away one command in {@value #PAUSE_MILLIS} ms asks whether it is back and all others are refused at
 * once. Where the platform runs without one ({@code MOLECULE_REDIS=none}) all are.
 */
public final class RedisStore {

    private static final Logger LOGGER = LoggerFactory.getLogger(RedisStore.class);

    private static final long COMMAND_TIMEOUT_MILLIS = 500;
    static final long PAUSE_MILLIS = 500;
    private static final long RESUBSCRIBE_MILLIS = 500;
    private static final int POOL_MAX = 6;
    private static final int POOL_WAITING_MAX = 10_000;
    private static final int PIPELINE_MAX = 10_000;

    private final Vertx vertx;
    private final @Nullable Redis redis;
    private final @Nullable String url;
    private final Set<Redis> subscribing = ConcurrentHashMap.newKeySet();
    private final Circuit circuit = new Circuit(
            "redis is away", Duration.ofMillis(PAUSE_MILLIS), failure -> !isReply(failure), System::nanoTime);
    private final AtomicBoolean toldAway = new AtomicBoolean();
    private volatile boolean closed;

    /** @param url null for none at all */
    public RedisStore(Vertx vertx, @Nullable String url) {
        this.vertx = vertx;
        this.url = url;
        this.redis = url == null
                ? null
                : Redis.createClient(
                        vertx,
                        new RedisOptions()
                                .setConnectionString(url)
                                .setMaxPoolSize(POOL_MAX)
                                .setMaxPoolWaiting(POOL_WAITING_MAX)
                                .setMaxWaitingHandlers(PIPELINE_MAX));
    }

    /** False where the platform runs without Redis; every command then fails at once. */
    public boolean isPresent() {
        return redis != null;
    }

    /** Fails within half a second when Redis is away; the caller goes on without. */
    public Future<@Nullable Response> send(Request request) {
        return guarded(client -> client.send(request));
    }

    /** Several commands in one round trip; empty input is a success without one. */
    public Future<List<Response>> batch(List<Request> requests) {
        return requests.isEmpty() ? Future.succeededFuture(List.of()) : guarded(client -> client.batch(requests));
    }

    public Future<@Nullable String> get(String key) {
        return send(Request.cmd(Command.GET).arg(key)).map(answer -> answer == null ? null : answer.toString());
    }

    public Future<?> delete(List<String> keys) {
        var request = Request.cmd(Command.DEL);
        keys.forEach(request::arg);
        return send(request);
    }

    /** Whether it was there when last asked. One that nobody runs is not missed. */
    public boolean healthy() {
        return !circuit.isOpen();
    }

    /**
     * Keeps a pattern subscription alive for the life of this store. Messages published while the connection is down are lost.
     *
     * @param listener gets the message text
     */
    public void subscribe(String pattern, Consumer<String> listener) {
        if (closed || url == null) {
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
        return Future.join(subscriptions)
                .eventually(() -> redis == null ? Future.succeededFuture() : redis.close())
                .mapEmpty();
    }

    private <T> Future<T> guarded(Function<Redis, Future<T>> command) {
        if (redis == null) {
            return Future.failedFuture("there is no redis");
        }
        return circuit.call(() -> command.apply(redis).timeout(COMMAND_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS))
                .onComplete(outcome -> tell(outcome.cause()));
    }

    /** Once for each loss and return, though many commands may see it. */
    private void tell(@Nullable Throwable failure) {
        boolean away = circuit.isOpen();
        if (toldAway.getAndSet(away) == away) {
            return;
        }
        if (away) {
            LOGGER.atWarn().setCause(failure).log("redis is away");
        } else {
            LOGGER.info("redis is back");
        }
    }

    /** An error in the protocol's own words: the server is there and does not do this. */
    private static boolean isReply(Throwable failure) {
        return failure instanceof Response;
    }
}
