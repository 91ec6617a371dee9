package ai.molecule.common.service;

import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * Whether the bus has ever carried what this service cannot work without. A replica that reaches no other is not ready, so a roll-out stops
 * at it; one that reached them once stays ready when they die, or their death would take every front door out of its load balancer.
 */
public final class FirstAnswer {

    private volatile Supplier<? extends Future<?>> question;
    private volatile boolean had;

    FirstAnswer(Supplier<? extends Future<?>> question) {
        this.question = question;
    }

    /** Asks this instead; any answer counts, a failure does not. */
    public void of(Supplier<? extends Future<?>> other) {
        question = other;
    }

    Future<?> had() {
        return had ? Future.succeededFuture() : question.get().onSuccess(answered -> had = true);
    }
}
