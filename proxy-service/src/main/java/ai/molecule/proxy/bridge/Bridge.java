package ai.molecule.proxy.bridge;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.TaskState;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * One request that somebody makes in one version of A2A to an agent that speaks the other.
 *
 * @param request what the agent gets
 * @param headers what it gets beside
 */
public record Bridge(byte[] request, Map<String, String> headers, Protocol caller, String rpcId, Wanted wanted) {

    /** How the caller reads an answer. */
    enum Wanted {
        /** A message or a task, or events of one. */
        RESULT,
        /** The same, where an error is the one event of a stream, too. */
        EVENTS,
        /** A message, and nothing else: the oldest clients look for words at the top. */
        WORDS,
        TASK
    }

    /**
     * Why a request was not carried over.
     *
     * @param error the whole JSON-RPC answer
     * @param event whether it is the one event of a stream
     */
    public record Refusal(byte[] error, boolean event) {}

    /** A bridge, or why there is none; exactly one of the two. */
    public sealed interface Crossing {
        record Made(Bridge bridge) implements Crossing {}

        record Refused(Refusal refusal) implements Crossing {}
    }

    private static final String EXTENSIONS = "A2A-Extensions";
    private static final String OLDER_EXTENSIONS = "X-A2A-Extensions";

    private static final Wording IN_03 = new Wording03();
    private static final Wording IN_10 = new Wording10();

    private static Wording in(Protocol spoken) {
        return spoken == Protocol.V1_0 ? IN_10 : IN_03;
    }

    /**
     * @param request a JSON-RPC request of the caller
     * @param passedOn its headers for the agent
     * @param caller in which version it is; the agent speaks the other
     * @param target the workspace it is for, which is the only tenant at its address
     */
    public static Crossing of(byte[] request, Map<String, String> passedOn, Protocol caller, UUID target) {
        Protocol agent = caller == Protocol.V1_0 ? Protocol.V0_3 : Protocol.V1_0;
        JsonNode tree = tree(request);
        String rpcId = Json.text(tree.path("id").isMissingNode() ? Json.object().nullNode() : tree.path("id"));
        String name = tree.path("method").asText();
        var method = CarriedMethod.of(name, caller).orElse(null);
        boolean event = caller == Protocol.V1_0 && method != null && method.streams();
        try {
            if (method == null) {
                throw notCarried(name);
            }
            ObjectNode told = Json.object();
            for (var member : tree.properties()) {
                String key = member.getKey();
                switch (key) {
                    case "method" -> told.put("method", method.in(agent));
                    case "params" ->
                        told.set("params", new CarriedParams(in(agent), agent, target).told(method, member.getValue()));
                    default -> told.set(key, member.getValue());
                }
            }
            if (!told.has("params")) {
                throw NotCarriedOver.field("params", "is required");
            }
            boolean older = caller == Protocol.V0_3 && isOlder(tree.path("params"), passedOn);
            return new Crossing.Made(new Bridge(
                    Json.bytes(told), headers(passedOn, agent), caller, rpcId, wantedOf(method, event, older)));
        } catch (NotCarriedOver refused) {
            return new Crossing.Refused(new Refusal(refusal(rpcId, caller, refused), event));
        }
    }

    private static Wanted wantedOf(CarriedMethod method, boolean event, boolean older) {
        return switch (method) {
            case SEND -> older ? Wanted.WORDS : Wanted.RESULT;
            case STREAM, OLDER_STREAM, FOLLOW -> event ? Wanted.EVENTS : Wanted.RESULT;
            case GET, CANCEL, BY_MESSAGE -> Wanted.TASK;
        };
    }

    /** Decision 31: who shows none of these reads the dialect that is older than the published protocol. */
    private static boolean isOlder(JsonNode params, Map<String, String> headers) {
        return !headers.containsKey(Protocol.VERSION_HEADER)
                && !params.has("configuration")
                && !params.path("message").path("kind").asText().equals("message");
    }

    private static NotCarriedOver notCarried(String method) {
        if (method.contains("ushNotificationConfig")) {
            return NotCarriedOver.push("");
        }
        return switch (method) {
            case "ListTasks" ->
                NotCarriedOver.of(
                        A2aErrorCode.UNSUPPORTED_OPERATION, "the agent speaks A2A 0.3, which has no list of tasks");
            case "GetExtendedAgentCard" ->
                NotCarriedOver.of(A2aErrorCode.UNSUPPORTED_OPERATION, "there is no extended agent card");
            case "agent/getAuthenticatedExtendedCard" ->
                NotCarriedOver.of(A2aErrorCode.EXTENDED_AGENT_CARD_NOT_CONFIGURED, "there is no extended agent card");
            default -> NotCarriedOver.method(method);
        };
    }

    private static Map<String, String> headers(Map<String, String> passedOn, Protocol agent) {
        Map<String, String> told = new HashMap<>(passedOn);
        told.put(Protocol.VERSION_HEADER, agent.version());
        String extensions = told.remove(agent == Protocol.V1_0 ? OLDER_EXTENSIONS : EXTENSIONS);
        if (extensions != null) {
            told.put(agent == Protocol.V1_0 ? EXTENSIONS : OLDER_EXTENSIONS, extensions);
        }
        return told;
    }

    /** Whether an answer that is no stream is told as a stream of one event. */
    public boolean wantsEvents() {
        return wanted == Wanted.EVENTS;
    }

    /** The agent's whole answer, told to the caller. What is no JSON-RPC answer is its error -32006. */
    public byte[] answer(byte[] body) {
        return told(body, caller, rpcId, wanted);
    }

    /**
     * An event of an agent's stream, told in another version; one event more stands before the first of a stream that does not begin with its
     * task, as 1.0 wants it.
     *
     * @param n the event's position, from 1
     */
    public static List<byte[]> event(int n, byte[] data, Protocol reader) {
        List<byte[]> events = new ArrayList<>(2);
        byte[] told = told(data, reader, "null", Wanted.RESULT);
        if (n == 1 && reader == Protocol.V1_0) {
            JsonNode answer = tree(told);
            var task = taskBefore(answer.path("result"));
            if (!task.isEmpty()) {
                events.add(Json.bytes(
                        answer("result", answer.path("id"), Json.object().set("task", task))));
            }
        }
        events.add(told);
        return events;
    }

    /** A task as 1.0 begins a stream, where an update comes first. */
    private static ObjectNode taskBefore(JsonNode result) {
        ObjectNode task = Json.object();
        for (String kind : List.of("statusUpdate", "artifactUpdate")) {
            JsonNode update = result.path(kind);
            if (update.path("taskId").isTextual()) {
                task.set("id", update.get("taskId"));
                if (update.hasNonNull("contextId")) {
                    task.set("contextId", update.get("contextId"));
                }
                String state = update.path("status").path("state").asText();
                task.putObject("status")
                        .put(
                                "state",
                                state.equals(TaskState.SUBMITTED.wireOf10()) ? state : TaskState.WORKING.wireOf10());
            }
        }
        return task;
    }

    /**
     * A task as it was seen, told in a version; fails with BAD_GATEWAY.
     *
     * @param json text of a task of the other one
     */
    public static String task(String json, Protocol reader) {
        try {
            return Json.text(in(reader).task(stored(json), "task"));
        } catch (NotCarriedOver broken) {
            throw new ApiError(
                    ApiError.Kind.BAD_GATEWAY,
                    String.valueOf(broken.ofTheAgent().getMessage()));
        }
    }

    /** A status, told in a version; in whichever it is. */
    public static String status(String json, Protocol reader) {
        JsonNode status = stored(json);
        boolean in10 = status.path("state").asText().startsWith("TASK_STATE_");
        try {
            return in10 == (reader == Protocol.V1_0)
                    ? json
                    : Json.text(in(reader).status(status, "status"));
        } catch (NotCarriedOver malformed) {
            String state = TaskState.ofWire(status.path("state").asText())
                    .map(known -> reader == Protocol.V1_0 ? known.wireOf10() : known.wire())
                    .orElse("");
            return Json.text(Json.object().put("state", state));
        }
    }

    private static byte[] told(byte[] body, Protocol reader, String rpcId, Wanted wanted) {
        Wording wording = in(reader);
        JsonNode answer;
        try {
            answer = Json.parse(body);
        } catch (IOException notJson) {
            answer = Json.object();
        }
        try {
            JsonNode id = answer.path("id").isMissingNode() ? stored(rpcId) : answer.path("id");
            if (answer.path("error").isObject()) {
                return Json.bytes(answer("error", id, wording.error(answer.path("error"))));
            }
            if (!answer.path("result").isObject()) {
                throw NotCarriedOver.field("result", "is no task, message or event");
            }
            JsonNode result = answer.path("result");
            JsonNode told = wanted == Wanted.TASK ? wording.task(result, "result") : wording.result(result);
            return Json.bytes(answer("result", id, wanted == Wanted.WORDS ? OldestAnswer.of(told) : told));
        } catch (NotCarriedOver broken) {
            return refusal(rpcId, reader, broken.ofTheAgent());
        }
    }

    private static byte[] refusal(String rpcId, Protocol caller, NotCarriedOver refused) {
        return Json.bytes(answer("error", stored(rpcId), refused.error(caller == Protocol.V1_0)));
    }

    /**
     * The whole JSON-RPC answer that refuses a request, in the reader's version.
     *
     * @param field the path of what is wrong in the parameters; empty for none
     */
    public static byte[] error(String rpcId, Protocol reader, A2aErrorCode code, String field, String message) {
        return refusal(rpcId, reader, NotCarriedOver.of(code, field, message));
    }

    private static ObjectNode answer(String member, JsonNode id, JsonNode content) {
        ObjectNode answer = Json.object().put("jsonrpc", "2.0");
        answer.set("id", id);
        return answer.set(member, content);
    }

    private static JsonNode stored(String json) {
        try {
            return Json.MAPPER.readTree(json);
        } catch (JsonProcessingException notJson) {
            return Json.object().nullNode();
        }
    }

    private static JsonNode tree(byte[] json) {
        try {
            return Json.parse(json);
        } catch (IOException notJson) {
            return Json.object();
        }
    }
}
