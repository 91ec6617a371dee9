package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.AgentTask;
import ai.molecule.runtime.tasks.IncomingMessage;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.runtime.tasks.TaskState;
import ai.molecule.runtime.tasks.TaskView;
import ai.molecule.runtime.tasks.Tasks;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Every operation this agent answers, in whichever version of the protocol. */
final class A2aMethods {

    static final String TASKS_BY_MESSAGE = "molecule/tasks/byMessage";

    /** What comes of a call: an answer now, an answer once a task is over, or a stream of a task's events. */
    sealed interface Outcome {

        record Now(JsonNode result) implements Outcome {}

        /** {@code asEvent} for a stream of nothing else. {@code answer} may be asked before the turn has ended, when nobody wants to wait any longer. */
        record Later(
                AgentTask task,
                CompletableFuture<TaskSnapshot> settled,
                Function<TaskSnapshot, JsonNode> answer,
                boolean asEvent)
                implements Outcome {}

        record Stream(TaskView view, int historyMax) implements Outcome {}
    }

    private final Tasks tasks;
    private final String workspaceId;

    /** @param workspaceId whose agent it is, which sees all its tasks */
    A2aMethods(Tasks tasks, String workspaceId) {
        this.tasks = tasks;
        this.workspaceId = workspaceId;
    }

    /**
     * @param form how the caller speaks
     * @param sender the workspace that asks, where it says so
     * @throws RpcError and {@link ai.molecule.runtime.tasks.TaskRefused}
     */
    Outcome call(Operation operation, JsonNode params, WireForm form, Optional<String> sender) {
        form.check(params);
        return switch (operation) {
            case SEND -> send(params, form, sender);
            case STREAM -> stream(params, form, sender);
            case GET -> now(tasks.get(RpcRequest.requiredText(params, "id")), params, form);
            case LIST -> list(params, form, sender);
            case CANCEL -> now(tasks.cancel(RpcRequest.requiredText(params, "id")), params, form);
            case FOLLOW -> follow(params, form);
            case BY_MESSAGE -> now(tasks.getByMessage(RpcRequest.requiredText(params, "messageId")), params, form);
            case PUSH -> throw RpcError.pushNotSupported();
            case EXTENDED_CARD -> throw form.noExtendedCard();
        };
    }

    /**
     * A task as it is.
     *
     * @param historyMax how many messages of its history; all when empty
     * @throws ai.molecule.runtime.tasks.TaskRefused when it is not known
     */
    ObjectNode task(String id, OptionalInt historyMax) {
        return TaskJson.task(tasks.get(id).snapshot(), historyMax.orElse(Integer.MAX_VALUE));
    }

    private Outcome send(JsonNode params, WireForm form, Optional<String> sender) {
        JsonNode configuration = params.path("configuration");
        int historyMax = historyMax(configuration);
        IncomingMessage message = form.message(params, sender);
        var accepted = tasks.accept(message);
        if (!form.waits(configuration) && !accepted.task().isDirect()) {
            ObjectNode begun = form.begun(accepted.task().snapshot(), historyMax);
            tasks.start(accepted, message);
            return new Outcome.Now(begun);
        }
        var settled = accepted.task().settled().toCompletableFuture(); // of this turn: the next begins after the start
        tasks.start(accepted, message);
        return new Outcome.Later(
                accepted.task(),
                settled,
                task -> isMessage(task) ? form.direct(task) : form.sent(task, historyMax),
                false);
    }

    private Outcome stream(JsonNode params, WireForm form, Optional<String> sender) {
        int historyMax = historyMax(params.path("configuration"));
        IncomingMessage message = form.message(params, sender);
        var accepted = tasks.accept(message);
        if (accepted.task().isDirect()) {
            var settled = accepted.task().settled().toCompletableFuture();
            tasks.start(accepted, message);
            return new Outcome.Later(
                    accepted.task(),
                    settled,
                    task -> isMessage(task) ? form.direct(task) : form.begun(task, historyMax),
                    true);
        }
        TaskView fromTheBeginning = accepted.task().follow();
        tasks.start(accepted, message);
        return new Outcome.Stream(fromTheBeginning, historyMax);
    }

    /** One that went wrong is told as the task it is. */
    private static boolean isMessage(TaskSnapshot task) {
        return task.direct() && task.state() == TaskState.COMPLETED;
    }

    private Outcome follow(JsonNode params, WireForm form) {
        int historyMax = historyMax(params);
        return new Outcome.Stream(form.follow(tasks.get(RpcRequest.requiredText(params, "id"))), historyMax);
    }

    /** Another workspace sees what it began itself. */
    private Outcome list(JsonNode params, WireForm form, Optional<String> sender) {
        Optional<String> asker = sender.filter(other -> !other.equals(workspaceId));
        JsonNode artifacts = params.path("includeArtifacts");
        if (params.hasNonNull("includeArtifacts") && !artifacts.isBoolean()) {
            throw RpcError.invalidField("includeArtifacts", "must be true or false");
        }
        int historyMax = historyMax(params);
        var page = tasks.list(TaskQueries.read(params, asker));
        return new Outcome.Now(form.page(page, historyMax, artifacts.asBoolean(false)));
    }

    private static Outcome now(AgentTask task, JsonNode params, WireForm form) {
        return new Outcome.Now(form.task(task.snapshot(), historyMax(params)));
    }

    private static int historyMax(JsonNode object) {
        return RpcRequest.count(object, "historyLength").orElse(Integer.MAX_VALUE);
    }
}
