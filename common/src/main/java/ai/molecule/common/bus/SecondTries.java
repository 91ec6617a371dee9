package ai.molecule.common.bus;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests of which another member may be asked as well: when nobody has answered for a second, or the first cannot be reached, and once. Whoever
 * answers first counts.
 */
final class SecondTries {

    private static final int PATIENCE_MILLIS = 1_000;

    /** More at once are no lost member, but a platform that is slow: twice the work would make it slower. */
    private static final int AT_ONCE_MAX = 100;

    private final Vertx vertx;
    private final AtomicInteger underWay = new AtomicInteger();

    SecondTries(Vertx vertx) {
        this.vertx = vertx;
    }

    /** @param options with the time that both tries have together */
    Future<Message<Object>> ask(String address, Object request, DeliveryOptions options) {
        var question = new Question(address, request, options);
        question.first();
        return question.answer.future();
    }

    private final class Question {

        private final String address;
        private final Object request;
        private final DeliveryOptions options;
        private final Promise<Message<Object>> answer = Promise.promise();

        /** The first try, and what may become a second one. The last to fail decides. */
        private final AtomicInteger open = new AtomicInteger(2);

        private Question(String address, Object request, DeliveryOptions options) {
            this.address = address;
            this.request = request;
            this.options = options;
        }

        private void first() {
            long patience = vertx.setTimer(PATIENCE_MILLIS, slow -> second());
            vertx.eventBus().request(address, request, options).onComplete(outcome -> {
                if (vertx.cancelTimer(patience) && isLost(outcome)) {
                    second();
                }
                ended(outcome);
            });
        }

        private void second() {
            long left = options.getSendTimeout() - PATIENCE_MILLIS;
            if (left <= 0 || answer.future().isComplete()) {
                withoutASecond();
                return;
            }
            if (underWay.incrementAndGet() > AT_ONCE_MAX) {
                underWay.decrementAndGet();
                withoutASecond();
                return;
            }
            vertx.eventBus()
                    .request(address, request, new DeliveryOptions(options).setSendTimeout(left))
                    .onComplete(outcome -> {
                        underWay.decrementAndGet();
                        ended(outcome);
                    });
        }

        private void withoutASecond() {
            if (open.decrementAndGet() == 0) { // the first has failed meanwhile
                answer.tryFail(new ReplyException(ReplyFailure.TIMEOUT, "nobody answered"));
            }
        }

        private void ended(AsyncResult<Message<Object>> outcome) {
            boolean last = open.decrementAndGet() == 0;
            if (outcome.succeeded()) {
                answer.tryComplete(outcome.result());
            } else if (last || !isLost(outcome)) {
                answer.tryFail(outcome.cause());
            }
        }

        /** Not, when somebody has answered that it failed. */
        private static boolean isLost(AsyncResult<?> outcome) {
            return outcome.failed()
                    && !(outcome.cause() instanceof ReplyException reply
                            && reply.failureType() == ReplyFailure.RECIPIENT_FAILURE);
        }
    }
}
