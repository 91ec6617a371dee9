package ai.molecule.proxy.waiting;

import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.calls.TaskWatch;
import ai.molecule.proxy.protocol.TaskAnswer;
import ai.molecule.proxy.protocol.TaskState;
import ai.molecule.proxy.tasks.TaskWords;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.UUID;

/** The rules of which task waits for a person's words. */
public final class TaskWaits implements TaskWatch {

    private static final int OF_ONE_AGENT_MAX = 1_000;
    private static final int QUESTION_MAX_CHARS = 2_000;

    private final PgWaitStore store;
    private final PgReleasedCalls released;
    private Ends ends = (target, taskId, answer) -> Future.succeededFuture();
    private Runnable changed = () -> {};

    /** Hears of the end of a task that went on with somebody's words. */
    @FunctionalInterface
    public interface Ends {
        Future<?> ended(UUID target, String taskId, byte[] answer);
    }

    public TaskWaits(PgWaitStore store, PgReleasedCalls released) {
        this.store = store;
        this.released = released;
    }

    /** Sets who hears of ends, and who is poked when a wait began or ended. */
    void tell(Ends listener, Runnable poke) {
        ends = listener;
        changed = poke;
    }

    @Override
    public Future<Void> answered(Answered message) {
        var asks = TaskAnswer.asking(message.answer()).orElse(null);
        if (asks != null) {
            return asked(message, asks);
        }
        String taskId = message.taskId();
        return taskId == null
                ? Future.succeededFuture()
                : store.goesOn(message.target(), taskId).compose(waited -> {
                    if (waited) {
                        changed.run();
                    }
                    return ended(message.target(), taskId, message.answer());
                });
    }

    private Future<Void> asked(Answered message, TaskAnswer asks) {
        String messageId = message.messageId();
        var named = messageId == null
                ? Future.<Void>succeededFuture()
                : store.name(message.target(), messageId, asks.taskId());
        return named.compose(done -> store.asked(
                        message.target(),
                        asks.taskId(),
                        asks.contextId(),
                        OF_ONE_AGENT_MAX,
                        asks.state() == TaskState.AUTH_REQUIRED ? "auth" : "input",
                        question(message.answer()),
                        message.taskId() != null))
                .compose(done -> store.clocks())
                .onSuccess(done -> changed.run())
                .mapEmpty();
    }

    /** What the agent said before it asked is not its question. */
    private static String question(byte[] answer) {
        String words = TaskWords.asking(answer);
        int characters = words.codePointCount(0, words.length());
        return characters <= QUESTION_MAX_CHARS
                ? words
                : words.substring(0, words.offsetByCodePoints(0, QUESTION_MAX_CHARS));
    }

    /** What the words led to is the end of whatever the task was begun for. */
    private Future<Void> ended(UUID target, String taskId, byte[] answer) {
        boolean over =
                TaskAnswer.of(answer).map(said -> said.state().isFinal()).orElseGet(() -> TaskAnswer.isMessage(answer));
        return over ? ends.ended(target, taskId, answer).mapEmpty() : Future.succeededFuture();
    }

    @Override
    public Future<Optional<String>> waitingIn(UUID target, String contextId) {
        return store.waitingIn(target, contextId).otherwise(Optional.empty());
    }

    @Override
    public Future<Void> keep(DeferredMessage deferred, String messageId, String taskId) {
        return released.keep(deferred, messageId, taskId);
    }

    PgWaitStore store() {
        return store;
    }

    PgReleasedCalls released() {
        return released;
    }
}
