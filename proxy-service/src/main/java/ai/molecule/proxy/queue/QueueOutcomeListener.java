package ai.molecule.proxy.queue;

import ai.molecule.proxy.a2a.calls.DeferredMessage;
import io.vertx.core.Future;

/** Told before the end of a wait is written down, perhaps more than once; when it fails it is told again. */
@FunctionalInterface
public interface QueueOutcomeListener {

    Future<Void> ended(DeferredMessage deferred, QueueOutcome ending);
}
