package ai.molecule.proxy.a2a.calls;

import io.vertx.core.Future;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keeps which tasks of agents wait for a person, and what a person's message is about. */
public interface TaskWatch {

    /**
     * A message that an agent answered.
     *
     * @param messageId null when it had none
     * @param taskId the task that the message went on with; null for one that began a task
     */
    record Answered(
            UUID target,
            @Nullable String messageId,
            @Nullable String taskId,
            byte[] answer) {}

    /** Completes when it is kept that the task waits, or does so no more; most answers say nothing of that. */
    Future<Void> answered(Answered message);

    /** The task that waits for words in that context, if it is one. Never fails. */
    Future<Optional<String>> waitingIn(UUID target, String contextId);

    /** Keeps a call that is let go; the same one again changes nothing. */
    Future<Void> keep(DeferredMessage deferred, String messageId, String taskId);
}
