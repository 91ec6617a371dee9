package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.ApiError;
import ai.molecule.proxy.a2a.admission.Admission.Admitted;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.calls.MessageExchange;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;

/**
 * Goes after the answer of a call that its agent's end cut off, for a sender that still waits: the agent, begun again, is asked what
 * became of the message. Where it goes on with it, or is done, the same message is sent again, which joins the task; no other agent gets
 * it a second time. To be used on one event loop.
 */
public final class Rejoining {

    /** How often an agent may know nothing of the message, or one that nobody here starts again may not be reached. */
    private static final int VAIN_MAX = 3;

    /** An agent that ends at each of these is not worth another. */
    private static final int JOINS_MAX = 5;

    private static final long PAUSE_MAX_MILLIS = 8_000;

    private final Vertx vertx;
    private final Dispatch dispatch;
    private final Calls calls;

    public Rejoining(Vertx vertx, Dispatch dispatch, Calls calls) {
        this.vertx = vertx;
        this.dispatch = dispatch;
        this.calls = calls;
    }

    /**
     * @param ours whether the platform begins the agent again
     * @param cut what the sender is told when the answer cannot be had
     * @param left of the sender's wait
     * @param again sends the message where the agent is now, within the time that is left
     */
    Future<A2aAnswer> answer(
            MessageExchange exchange,
            boolean ours,
            Throwable cut,
            Duration left,
            BiFunction<Admitted, Duration, Future<A2aAnswer>> again) {
        try {
            calls.requireRoom(exchange);
        } catch (ApiError full) {
            calls.records().unanswered(exchange, true, String.valueOf(cut.getMessage()));
            return Future.failedFuture(cut);
        }
        return new Pursuit(exchange, ours, cut, System.nanoTime() + left.toNanos(), again).start();
    }

    /** Of one answer. */
    private final class Pursuit {
        private final MessageExchange exchange;
        private final boolean ours;
        private final Throwable cut;
        private final long endNanos;
        private final BiFunction<Admitted, Duration, Future<A2aAnswer>> again;
        private final Promise<A2aAnswer> sender = Promise.promise();
        private long goneNanos;
        private long pauseMillis; // none before the first question: the agent may be there still
        private int vain;
        private int joins;
        private boolean joined;

        Pursuit(
                MessageExchange exchange,
                boolean ours,
                Throwable cut,
                long endNanos,
                BiFunction<Admitted, Duration, Future<A2aAnswer>> again) {
            this.exchange = exchange;
            this.ours = ours;
            this.cut = cut;
            this.endNanos = endNanos;
            this.again = again;
            this.goneNanos = System.nanoTime();
        }

        Future<A2aAnswer> start() {
            var place = calls.arrived(exchange.envelope().bytes());
            long timer = vertx.setTimer(Math.max(1, left().toMillis()), late -> {
                if (!joined) {
                    giveUp();
                }
            });
            exchange.written().onFailure(gone -> giveUp());
            ask();
            return sender.future().onComplete(done -> {
                vertx.cancelTimer(timer);
                place.run();
            });
        }

        private void ask() {
            joined = false;
            if (left().isNegative()) {
                giveUp();
            }
            if (sender.future().isComplete()) {
                return;
            }
            var turn = pauseMillis == 0 ? Future.succeededFuture() : vertx.timer(pauseMillis);
            pauseMillis = Math.min(PAUSE_MAX_MILLIS, Math.max(1_000, pauseMillis * 2));
            turn.compose(now -> sender.future().isComplete()
                            ? Future.<LookupResult>failedFuture(cut)
                            : dispatch.lookUp(
                                    exchange.target(),
                                    Objects.requireNonNull(exchange.envelope().messageId())))
                    .onSuccess(this::heard);
        }

        private void heard(LookupResult result) {
            switch (result) {
                case LookupResult.Over over -> join();
                case LookupResult.Working working -> join();
                case LookupResult.Asks asks -> join();
                case LookupResult.NotKnown none -> askOn(++vain < VAIN_MAX);
                case LookupResult.Unsupported none -> giveUp();
                case LookupResult.NotReached none -> {
                    calls.routes().drop(exchange.target()); // begun again it may be elsewhere
                    askOn(
                            ours
                                    ? System.nanoTime() - goneNanos
                                            < calls.limits().comeBack().toNanos()
                                    : ++vain < VAIN_MAX);
                }
            }
        }

        private void askOn(boolean worthIt) {
            if (worthIt) {
                ask();
            } else {
                giveUp();
            }
        }

        private void join() {
            if (sender.future().isComplete()) {
                return;
            }
            joined = true;
            vain = 0;
            calls.reach(exchange.target())
                    .compose(route -> route.quarantined()
                            ? Future.failedFuture(cut)
                            : again.apply(new Admitted(exchange.target(), exchange.sender(), route), left()))
                    .onSuccess(answer -> {
                        if (!sender.tryComplete(answer) && answer instanceof A2aAnswer.Stream stream) {
                            stream.events().left();
                        }
                    })
                    .onFailure(failure -> {
                        goneNanos = System.nanoTime();
                        if (isStillWorking(failure)) {
                            sender.tryFail(failure);
                        } else {
                            askOn(++joins < JOINS_MAX);
                        }
                    });
        }

        private void giveUp() {
            if (sender.tryFail(cut)) {
                calls.records().unanswered(exchange, true, String.valueOf(cut.getMessage()));
            }
        }

        private Duration left() {
            return Duration.ofNanos(endNanos - System.nanoTime());
        }

        private static boolean isStillWorking(Throwable failure) {
            return failure instanceof ApiError error && error.kind() == ApiError.Kind.TIMED_OUT;
        }
    }
}
