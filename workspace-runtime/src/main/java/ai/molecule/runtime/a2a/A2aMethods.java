package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.AgentTask;
import ai.molecule.runtime.tasks.IncomingMessage;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.runtime.tasks.TaskView;
import ai.molecule.runtime.tasks.Tasks;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Every method of the protocol this agent answers. */
final class A2aMethods {

    static final String TASKS_BY_MESSAGE = "molecule/tasks/byMessage";

    /** What comes of a call: an answer now, an answer once a task is over, or a stream of a task's events. */
    sealed interface Outcome {

        record Now(JsonNode result) implements Outcome {}

        /** {@code answer} may be asked before the turn has ended, when nobody wants to wait any longer. */
        record Later(AgentTask task, CompletableFuture<TaskSnapshot> settled, Function<TaskSnapshot, JsonNode> answer)
                implements Outcome {}

        record Stream(TaskView view, int historyMax) implements Outcome {}
    }

    private final Tasks tasks;

    A2aMethods(Tasks tasks) {
        this.tasks = tasks;
    }

    /**
     * @param versionNamed whether the caller named the version of the protocol
     * @throws RpcError and {@link ai.molecule.runtime.tasks.TaskRefused}
     */
    Outcome call(RpcRequest request, boolean versionNamed) {
        return switch (request.method()) {
            case "message/send" -> send(request, Dialect.of(request.params(), versionNamed));
            case "message/stream", "message/sendSubscribe" ->
                stream(request, Dialect.of(request.params(), versionNamed));
            case "tasks/get" -> now(tasks.get(request.requiredText("id")), request, request.params());
            case "tasks/cancel" -> now(tasks.cancel(request.requiredText("id")), request, request.params());
            case "tasks/resubscribe" -> resubscribe(request);
            case TASKS_BY_MESSAGE ->
                now(tasks.getByMessage(request.requiredText("messageId")), request, request.params());
            case "tasks/pushNotificationConfig/set",
                    "tasks/pushNotificationConfig/get",
                    "tasks/pushNotificationConfig/list",
                    "tasks/pushNotificationConfig/delete" -> throw RpcError.pushNotSupported();
            case "agent/getAuthenticatedExtendedCard" -> throw RpcError.noExtendedCard();
            default -> throw RpcError.methodNotFound(request.method());
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

    private Outcome send(RpcRequest request, Dialect dialect) {
        JsonNode configuration = request.params().path("configuration");
        int historyMax = historyMax(request, configuration);
        IncomingMessage message = MessageParams.read(request.params(), dialect);
        var accepted = tasks.accept(message);
        if (!configuration.path("blocking").asBoolean(true)) {
            ObjectNode begun = TaskJson.task(accepted.task().snapshot(), historyMax);
            tasks.start(accepted, message);
            return new Outcome.Now(begun);
        }
        var settled = accepted.task().settled().toCompletableFuture(); // of this turn: the next begins after the start
        tasks.start(accepted, message);
        return new Outcome.Later(accepted.task(), settled, task -> switch (dialect) {
            case PUBLISHED -> TaskJson.task(task, historyMax);
            case PLATFORM -> TaskJson.message(task);
        });
    }

    private Outcome stream(RpcRequest request, Dialect dialect) {
        int historyMax = historyMax(request, request.params().path("configuration"));
        IncomingMessage message = MessageParams.read(request.params(), dialect);
        var accepted = tasks.accept(message);
        TaskView fromTheBeginning = accepted.task().follow();
        tasks.start(accepted, message);
        return new Outcome.Stream(fromTheBeginning, historyMax);
    }

    private Outcome resubscribe(RpcRequest request) {
        int historyMax = historyMax(request, request.params());
        return new Outcome.Stream(tasks.get(request.requiredText("id")).follow(), historyMax);
    }

    private static Outcome now(AgentTask task, RpcRequest request, JsonNode whereHistoryLengthIs) {
        return new Outcome.Now(TaskJson.task(task.snapshot(), historyMax(request, whereHistoryLengthIs)));
    }

    private static int historyMax(RpcRequest request, JsonNode object) {
        OptionalInt asked = request.count(object, "historyLength");
        return asked.orElse(Integer.MAX_VALUE);
    }
}
