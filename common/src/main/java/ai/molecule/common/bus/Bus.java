package ai.molecule.common.bus;

import ai.molecule.common.ApiError;
import ai.molecule.common.audit.Actor;
import ai.molecule.common.cluster.Withdrawal;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.core.tracing.TracingPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Typed calls between services: records in, records out, between processes as JSON. A record that was sent, and whatever it
 * holds, is changed by nobody: within a process it arrives as it is.
 *
 * <p>What is done on the other side, the {@link Actor} of the calling context does.
 *
 * <p>A failure served as {@link ApiError} arrives as the same {@code ApiError}. No answer within the deadline, or nobody
 * serving, is {@link ApiError.Kind#UNAVAILABLE}. In a cluster a contract that only reads is asked a second time, of the member whose turn it is
 * then, when nobody has answered for a second: the first may be lost.
 */
public final class Bus {

    private static final Logger LOGGER = LoggerFactory.getLogger(Bus.class);

    private static final int AHEAD_MILLIS = 500;

    private static final int TOGETHER_MAX = 512;

    private static final DeliveryOptions AS_RECORD = new DeliveryOptions().setCodecName(RecordCodec.NAME);

    /** A hint belongs to no request's trace: its listeners act on it whenever they come to it. */
    private static final DeliveryOptions AS_HINT =
            new DeliveryOptions(AS_RECORD).setTracingPolicy(TracingPolicy.IGNORE);

    private final Vertx vertx;
    private final CallTimes times;
    private final SecondTries secondTries;
    private final List<String> served = new CopyOnWriteArrayList<>();
    private final Map<String, Gathering<?>> gatherings = new ConcurrentHashMap<>();
    private final List<Map<String, List<RegistrationInfo>>> left =
            new CopyOnWriteArrayList<>(); // an address is in one of them at most
    private final AtomicInteger answering = new AtomicInteger();
    private final AtomicReference<@Nullable Promise<Void>> idle = new AtomicReference<>();

    /** A bus that keeps no figures about its calls. */
    public Bus(Vertx vertx) {
        this(vertx, new SimpleMeterRegistry());
    }

    public Bus(Vertx vertx, MeterRegistry meters) {
        this.vertx = vertx;
        this.times = new CallTimes(meters);
        this.secondTries = new SecondTries(vertx);
        RecordCodec.registerOn(vertx);
    }

    public <Q extends Record, A extends Record> Future<A> call(Contract<Q, A> contract, Q request) {
        var options = new DeliveryOptions(AS_RECORD)
                .setSendTimeout(contract.deadline().toMillis());
        var actor = Actor.current();
        if (actor != null) {
            options.addHeader(Actor.NAME, actor.json());
        }
        long startNanos = System.nanoTime();
        return (contract.reads() && vertx.isClustered()
                        ? secondTries.ask(contract.address(), request, options)
                        : vertx.eventBus().request(contract.address(), request, options))
                .map(answer -> decode(answer.body(), contract.reply()))
                .recover(failure -> Future.failedFuture(asApiError(contract.address(), failure)))
                .onComplete(done -> times.record(contract.address(), done, System.nanoTime() - startNanos));
    }

    /** Serves a contract on the calling context; completes once every member can reach it. */
    public <Q extends Record, A extends Record> Future<Void> serve(
            Contract<Q, A> contract, Function<Q, Future<A>> service) {
        served.add(contract.address());
        return vertx.eventBus()
                .consumer(contract.address(), message -> answer(contract, service, message))
                .completion();
    }

    /** Leaves further calls to other members and waits for the answers to those that came here, at most {@code max}. */
    public Future<?> finish(Duration max) {
        return Withdrawal.of(vertx, served)
                .eventually(this::answersGiven)
                .timeout(Math.max(1, max.toMillis()), TimeUnit.MILLISECONDS)
                .otherwiseEmpty();
    }

    /**
     * Leaves calls of everything served here to other members, where those serve it too, until {@link #serveAgain}. What comes all the same is
     * answered.
     *
     * @param kept what goes on being served here
     */
    public Future<?> leaveToOthers(Contract<?, ?> kept) {
        var addresses = served.stream()
                .filter(address -> !address.equals(kept.address()))
                .toList();
        return Withdrawal.whereOthersServe(vertx, addresses).onSuccess(withdrawn -> {
            if (!withdrawn.isEmpty()) {
                left.add(withdrawn);
            }
        });
    }

    /** Ends {@link #leaveToOthers}. What cannot be told to the others now is told by the next call. */
    public Future<?> serveAgain() {
        return Future.join(left.stream()
                .map(withdrawn -> Withdrawal.undo(vertx, withdrawn).onSuccess(back -> left.remove(withdrawn)))
                .toList());
    }

    /** Whether the members know that a contract is served here. */
    public Future<Boolean> isServedHere(Contract<?, ?> contract) {
        return Withdrawal.isServedHere(vertx, contract.address());
    }

    private Future<Void> answersGiven() {
        Promise<Void> promise = Promise.promise();
        idle.set(promise);
        if (answering.get() == 0) {
            promise.tryComplete();
        }
        return promise.future();
    }

    private void answered() {
        var waiting = idle.get();
        if (answering.decrementAndGet() == 0 && waiting != null) {
            waiting.tryComplete();
        }
    }

    public <H extends Record> void publish(Hint<H> hint, H body) {
        vertx.eventBus().publish(hint.address(), body, AS_HINT);
    }

    /**
     * As {@link #publish}, but what is handed in during one turn of the event loop is one hint, or a few of {@value #TOGETHER_MAX}, in its
     * order. So is what is handed in later, behind it.
     *
     * @param one part of the hint's body
     */
    public <P, H extends Record> void publishTogether(Hint<H> hint, P one, Function<List<P>, H> body) {
        @SuppressWarnings("unchecked") // an address has one kind of hint, and that one kind of parts
        var gathering = (Gathering<P>) gatherings.computeIfAbsent(hint.address(), address -> new Gathering<P>());
        if (gathering.add(one)) {
            vertx.runOnContext(
                    turnEnds -> gathering.take(TOGETHER_MAX).forEach(parts -> publish(hint, body.apply(parts))));
        }
    }

    /**
     * As {@link #publish}, but whoever waits for it can rely on order: what is sent after completion, to any address, arrives after
     * this hint. Without waiting, order holds per address only, because the listeners may first have to be looked up. Never fails,
     * and holds nobody for longer than {@value #AHEAD_MILLIS} ms: a hint may be lost on its way.
     */
    public <H extends Record> Future<Void> publishAhead(Hint<H> hint, H body) {
        var sent = vertx.eventBus().<H>publisher(hint.address(), AS_HINT).write(body);
        // within a process it is on its way at once, and a timer for each would cost more than sending it
        return (sent.isComplete() ? sent : sent.timeout(AHEAD_MILLIS, TimeUnit.MILLISECONDS)).otherwiseEmpty();
    }

    /** Hands the hint to one of its listeners only: a poke that one replica may take. */
    public <H extends Record> void poke(Hint<H> hint, H body) {
        vertx.eventBus().send(hint.address(), body, AS_HINT);
    }

    /** Listens until the returned consumer is unregistered. A listener that throws is logged and keeps listening. */
    public <H extends Record> MessageConsumer<?> listen(Hint<H> hint, Consumer<H> listener) {
        return vertx.eventBus().consumer(hint.address(), message -> {
            try {
                listener.accept(decode(message.body(), hint.body()));
            } catch (RuntimeException failure) {
                LOGGER.atError()
                        .setCause(failure)
                        .addKeyValue("hint", hint.address())
                        .log("hint listener failed");
            }
        });
    }

    private <Q extends Record, A extends Record> void answer(
            Contract<Q, A> contract, Function<Q, Future<A>> service, Message<?> message) {
        answering.incrementAndGet();
        String actor = message.headers().get(Actor.NAME);
        if (actor != null) {
            new Actor(actor).acts();
        }
        Future<A> outcome;
        try {
            outcome = service.apply(decode(message.body(), contract.request()));
        } catch (RuntimeException failure) {
            outcome = Future.failedFuture(failure);
        }
        outcome.onSuccess(reply -> message.reply(reply, AS_RECORD))
                .onFailure(failure -> refuse(contract.address(), message, failure))
                .onComplete(done -> answered());
    }

    private static void refuse(String address, Message<?> message, Throwable failure) {
        ApiError error;
        if (failure instanceof ApiError known) {
            error = known;
        } else {
            error = Postgres.outage(failure).orElseGet(() -> {
                LOGGER.atError()
                        .setCause(failure)
                        .addKeyValue("address", address)
                        .log("bus call failed");
                return ApiError.internal("internal error");
            });
        }
        message.fail(error.kind().status(), Json.text(Failure.of(error)));
    }

    private static ApiError asApiError(String address, Throwable failure) {
        if (!(failure instanceof ReplyException refused)) {
            if (failure instanceof IOException || failure instanceof VertxException) {
                // nobody listens there any more, or without the cluster's certificate
                return unanswered(address, failure);
            }
            LOGGER.atError().setCause(failure).addKeyValue("address", address).log("bus call could not be sent");
            return ApiError.internal("internal error");
        }
        switch (refused.failureType()) {
            case RECIPIENT_FAILURE -> {
                try {
                    return Json.MAPPER
                            .readValue(refused.getMessage(), Failure.class)
                            .toApiError();
                } catch (IOException | IllegalArgumentException notOurs) {
                    LOGGER.atError()
                            .setCause(refused)
                            .addKeyValue("address", address)
                            .log("bus call failed");
                    return ApiError.internal("internal error");
                }
            }
            default -> {
                return unanswered(address, refused.failureType());
            }
        }
    }

    private static ApiError unanswered(String address, Object why) {
        LOGGER.atWarn()
                .addKeyValue("address", address)
                .addKeyValue("failure", why)
                .log("bus call got no answer");
        return new ApiError(
                ApiError.Kind.UNAVAILABLE,
                "a part of the platform did not answer — retry shortly",
                Map.of("code", "platform_unavailable", "retry_after", 2));
    }

    /** @param body the record itself, or its JSON */
    static <T> T decode(Object body, Class<T> type) {
        if (type.isInstance(body)) {
            return type.cast(body);
        }
        try {
            return Json.MAPPER.readValue(((Buffer) body).getBytes(), type);
        } catch (IOException malformed) {
            throw new IllegalArgumentException("not a " + type.getSimpleName(), malformed);
        }
    }

    /** How an {@link ApiError} crosses the bus. */
    private record Failure(ApiError.Kind kind, String message, Map<String, Object> details) {

        static Failure of(ApiError error) {
            return new Failure(error.kind(), error.publicMessage(), error.details());
        }

        ApiError toApiError() {
            return new ApiError(kind, message, details);
        }
    }
}
