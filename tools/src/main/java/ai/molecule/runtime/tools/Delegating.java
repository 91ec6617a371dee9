package ai.molecule.runtime.tools;

import ai.molecule.sdk.A2aAnswer;
import ai.molecule.sdk.A2aException;
import ai.molecule.sdk.IdempotencyKeys;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** Giving work to peers. A message goes through the platform, which checks who may talk to whom, and is never run twice. */
final class Delegating {

    /** What a peer has for an answer that is waited for. */
    static final Duration PATIENCE = Duration.ofSeconds(300);

    /** What the platform says of a peer whose end it has met, whether the message had reached it or not. */
    private static final String RESTARTING = "workspace agent unreachable";

    private static final int SENT_MAX = 3;
    private static final List<Duration> PAUSES =
            Stream.of(0, 1, 2, 4, 8, 8, 8).map(Duration::ofSeconds).toList(); // before each question whether it is back

    private static final int DELEGATIONS_SHOWN_MAX = 10;
    private static final int REASON_MAX_CHARS = 200;
    private static final Set<String> UNSUCCESSFUL = Set.of("failed", "rejected", "canceled");
    private static final List<String> SHOWN =
            List.of("delegation_id", "target_id", "status", "summary", "response_preview", "error");

    /** What an answer begins with where the peer did not do it. */
    static final String FAILED = "DELEGATION FAILED to ";

    private static final String ADVICE = """

            Do not pass this on as it stands. You can do the work yourself, give it to another peer (list_peers), or tell the\
             user that this part could not be done.""";

    private static final String UNKNOWN_END =
            "Error: the agent was restarted while the peer was asked, and this peer cannot tell whether it has the task:"
                    + " look at chat_history before you repeat it.";

    private Delegating() {}

    static String now(Toolbox toolbox, Arguments arguments) {
        String target = target(arguments);
        String task = arguments.text("task");
        WorkspaceClient source = source(toolbox, arguments, target);
        String name = toolbox.workspaces().nameOf(target);
        boolean again = toolbox.call().flatMap(Toolbox.Call::noted).isPresent();
        String messageId = messageId(toolbox);
        Optional<PeersQuestion> answered = toolbox.input().flatMap(PeersQuestion::answeredIn);
        try {
            if (answered.isPresent()) {
                var question = answered.get();
                String answer = wordsOf(question.goOn(source, toolbox, PATIENCE), name, toolbox, question.target());
                PeerActivity.answered(source, question.target(), name, answer);
                return answer;
            }
            if (again && !source.joins(target, messageId)) {
                return UNKNOWN_END;
            }
            if (!again) {
                PeerActivity.asked(source, target, name, task, messageId);
                toolbox.call().ifPresent(call -> {
                    boolean _ = call.note("sent"); // what cannot be kept is not made again either
                });
            }
            String answer =
                    wordsOf(sent(source, target, task, arguments.text("task_id"), messageId), name, toolbox, target);
            PeerActivity.answered(source, target, name, answer);
            return answer;
        } catch (PlatformException e) {
            if (e.status() == 403 || e.status() == 404) {
                return failed(
                        source,
                        target,
                        name,
                        "workspace " + target + " not found or not accessible (check access control)");
            }
            if (e.status() == 504) {
                return failed(
                        source,
                        target,
                        name,
                        "no answer within " + PATIENCE.toSeconds()
                                + " s; the peer has the task and may still be working on it, so look at chat_history before you repeat it");
            }
            return failed(source, target, name, e.error() + (e.isUnreachable() ? "" : " (code=" + e.status() + ")"));
        } catch (A2aException e) {
            return failed(source, target, name, e.getMessage() + " (code=" + e.code() + ")");
        } catch (ToolRefusal e) {
            return failed(source, target, name, String.valueOf(e.getMessage()));
        }
    }

    /** A peer that ended before it wrote the message down knows nothing of it when it is back, and is sent the same once more. */
    private static JsonNode sent(WorkspaceClient source, String target, String task, String taskId, String messageId) {
        long begunNanos = System.nanoTime();
        var left = PATIENCE;
        for (int times = 1; ; times++) {
            try {
                return taskId.isEmpty()
                        ? source.ask(target, task, left, messageId)
                        : source.goOn(target, taskId, task, left, messageId);
            } catch (PlatformException lost) {
                if (times == SENT_MAX
                        || lost.status() != 503
                        || !lost.error().startsWith(RESTARTING)
                        || !isBack(source, target, messageId)) {
                    throw lost;
                }
                left = PATIENCE.minusNanos(System.nanoTime() - begunNanos);
                if (left.toSeconds() < 1) {
                    throw lost;
                }
            }
        }
    }

    /** And runs no message twice. */
    private static boolean isBack(WorkspaceClient source, String target, String messageId) {
        for (Duration pause : PAUSES) {
            try {
                Thread.sleep(pause);
                return source.joins(target, messageId);
            } catch (PlatformException away) {
                continue;
            } catch (InterruptedException canceled) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    /** The same when the call is made again after the agent's end: the peer's work is joined then, not begun twice. */
    private static String messageId(Toolbox toolbox) {
        return DelegationRows.MESSAGE_ID
                + toolbox.call()
                        .map(call -> UUID.nameUUIDFromBytes(call.key().getBytes(StandardCharsets.UTF_8)))
                        .orElseGet(UUID::randomUUID);
    }

    static String later(Toolbox toolbox, Arguments arguments) {
        String target = target(arguments);
        String task = arguments.text("task");
        WorkspaceClient source = source(toolbox, arguments, target);
        try {
            JsonNode accepted = source.delegate(target, task, IdempotencyKeys.forDelegation(source.id(), target, task));
            return Json.object()
                    .put("delegation_id", accepted.path("delegation_id").asText())
                    .put("workspace_id", target)
                    .put("status", "delegated")
                    .put("note", "The peer works on it. Ask check_task_status with this delegation_id for the result.")
                    .toString();
        } catch (PlatformException e) {
            return e.isUnreachable()
                    ? "Error: " + e.error()
                    : "Error: delegation failed with status " + e.status() + ": "
                            + Excerpt.of(e.error(), REASON_MAX_CHARS);
        }
    }

    static String status(Toolbox toolbox, Arguments arguments) {
        WorkspaceClient source =
                toolbox.workspaces().source(arguments.text("source_workspace_id"), arguments.text("workspace_id"));
        String id = arguments.text("task_id");
        List<ObjectNode> rows = DelegationRows.of(source.delegations());
        if (id.isEmpty()) {
            return latest(rows).toString();
        }
        for (ObjectNode row : rows) {
            if (row.path("delegation_id").asText().equals(id)) {
                return row.toString();
            }
        }
        return Json.object().put("status", "not_found").put("delegation_id", id).toString();
    }

    private static ObjectNode latest(List<ObjectNode> rows) {
        ObjectNode answer = Json.object();
        var list = answer.putArray("delegations");
        rows.stream().limit(DELEGATIONS_SHOWN_MAX).forEach(row -> list.add(row.retain(SHOWN)));
        return answer.put("count", list.size());
    }

    private static String target(Arguments arguments) {
        String target = arguments.text("workspace_id");
        if (target.isEmpty() || arguments.text("task").isEmpty()) {
            throw new ToolRefusal("workspace_id and task are required");
        }
        if (!Workspaces.isId(target)) {
            throw new ToolRefusal("workspace_id must be a UUID; list_peers shows the ids of those you may talk to");
        }
        return target;
    }

    private static WorkspaceClient source(Toolbox toolbox, Arguments arguments, String target) {
        WorkspaceClient source = toolbox.workspaces().source(arguments.text("source_workspace_id"), target);
        if (source.id().equalsIgnoreCase(target)) {
            throw new ToolRefusal("this is your own workspace; a task cannot be delegated to oneself");
        }
        return source;
    }

    /**
     * @throws A2aException when the peer answers a JSON-RPC error
     * @throws ToolRefusal when it says that it failed
     * @throws InputNeeded when it asks something, and the caller can be asked that
     */
    private static String wordsOf(JsonNode response, String name, Toolbox toolbox, String target) {
        if (A2aAnswer.isQueued(response)) {
            return name
                    + " has the message in its queue and will see it later; it was not lost, so do not send it again."
                    + " What it says will come as a message of its own.";
        }
        A2aAnswer answer = A2aAnswer.fromResponse(response);
        String text = answer.text();
        if (toolbox.input().filter(CallersInput::canFill).isPresent()) {
            PeersQuestion.in(answer, target, name).ifPresent(question -> {
                throw question.needed();
            });
        }
        if (text.startsWith(DelegationRows.FAILURE)
                || answer.taskState().filter(UNSUCCESSFUL::contains).isPresent()) {
            throw new ToolRefusal(
                    text.isBlank() ? "it ended as " + answer.taskState().orElse("failed") : text);
        }
        if (answer.asks()) {
            return asks(answer, name);
        }
        return text.isBlank() ? "(no response)" : text;
    }

    /** Its task is not done, and goes on with the answer. */
    private static String asks(A2aAnswer answer, String name) {
        String said = answer.statusText();
        String question = said.isBlank() ? "(it does not say what)" : said;
        boolean forLeave = answer.taskState().filter("auth-required"::equals).isPresent();
        String what = forLeave ? " waits for an authorization: " : " asks: ";
        return name + what + question + "\n\nIts task is not done: it waits for "
                + (forLeave ? "that" : "your answer")
                + answer.taskId()
                        .map(id -> ". Call delegate_task with the same workspace_id, task_id \"" + id
                                + "\" and your answer as task.")
                        .orElse(". Delegate it again, with the answer in the task.");
    }

    private static String failed(WorkspaceClient source, String target, String name, String reason) {
        PeerActivity.failed(source, target, name, reason);
        return FAILED + name + ": [A2A_ERROR] " + reason + ADVICE;
    }
}
