package ai.molecule.proxy.protocol;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The task or message that the events of a stream make together: an artifact's chunks are put behind each other as they say. */
public final class StreamedAnswer {

    private static final String TASK = "task";

    private final ArrayNode artifacts = Json.MAPPER.createArrayNode();
    private final ObjectNode task = Json.object();
    private @Nullable JsonNode message;
    private boolean wrapped;

    private StreamedAnswer() {}

    /**
     * @param events the first ones, in order
     * @param last the last one, which may be among them
     * @return the result as its agent's version has it; a missing node when the events tell nothing
     */
    public static JsonNode of(List<byte[]> events, byte[] last) {
        var answer = new StreamedAnswer();
        for (byte[] event : events) {
            answer.hear(read(event).path("result"));
        }
        if (events.isEmpty() || !Arrays.equals(events.getLast(), last)) { // not all of a long stream are kept
            answer.hear(read(last).path("result"));
        }
        return answer.result();
    }

    /**
     * As the JSON-RPC answer that a client would have got that asked for no stream.
     *
     * @param last the answer itself where it is an error, or no JSON
     */
    public static byte[] whole(List<byte[]> events, byte[] last) {
        var end = read(last);
        var result = end.path("result").isObject() ? of(events, last) : MissingNode.getInstance();
        if (!result.isObject()) {
            return last;
        }
        var answer = Json.object().put("jsonrpc", "2.0");
        answer.set("id", end.path("id"));
        answer.set("result", result);
        return Json.bytes(answer);
    }

    private void hear(JsonNode result) {
        var told = AnswerWords.unwrapped(result);
        wrapped |= told != result;
        if (told.path("parts").isArray()) {
            message = told;
        } else if (told.path("artifact").isObject()) {
            chunk(told.path("artifact"), told.path("append").asBoolean());
            name(told);
        } else if (told.path("status").isObject()) {
            name(told);
            status(told.path("status"));
            if (!told.path("artifacts").isEmpty()) { // a whole task repeats what its chunks said
                artifacts.removeAll();
                told.path("artifacts").forEach(artifact -> artifacts.add(artifact.deepCopy()));
            }
        }
    }

    private void name(JsonNode told) {
        var id = told.path("taskId").isTextual() ? told.path("taskId") : told.path("id");
        if (id.isTextual()) {
            task.set("id", id);
        }
        if (told.path("contextId").isTextual()) {
            task.set("contextId", told.path("contextId"));
        }
    }

    /** The last words stay, unless a state follows in which they would be taken for its question or reason. */
    private void status(JsonNode status) {
        var before = task.path("status").path("message");
        ObjectNode now = status.deepCopy();
        if (now.path("message").isObject()) {
            message = null;
        } else if (before.isObject()) {
            now.set("message", before);
        }
        task.set("status", now);
        if (AnswerWords.isStatusFirst(task) && !status.path("message").isObject() && !artifacts.isEmpty()) {
            now.remove("message");
        }
    }

    private void chunk(JsonNode artifact, boolean append) {
        int at = indexOf(artifact.path("artifactId"), append);
        if (at < 0) {
            artifacts.add(artifact.deepCopy());
        } else if (append && artifacts.get(at).path("parts") instanceof ArrayNode parts) {
            artifact.path("parts").forEach(parts::add);
        } else {
            artifacts.set(at, artifact.deepCopy());
        }
    }

    /** An agent that names no artifacts has one after the other. */
    private int indexOf(JsonNode id, boolean append) {
        if (!id.isTextual()) {
            return append ? artifacts.size() - 1 : -1;
        }
        for (int i = 0; i < artifacts.size(); i++) {
            if (artifacts.get(i).path("artifactId").equals(id)) {
                return i;
            }
        }
        return -1;
    }

    private JsonNode result() {
        if (message != null && artifacts.isEmpty()) {
            return wrapped ? Json.object().set("message", message) : message;
        }
        if (task.isEmpty() && artifacts.isEmpty()) {
            return MissingNode.getInstance();
        }
        if (!artifacts.isEmpty()) {
            task.set("artifacts", artifacts);
        }
        return wrapped ? Json.object().set(TASK, task) : task.put("kind", TASK);
    }

    private static JsonNode read(byte[] event) {
        try {
            return Json.parse(event);
        } catch (IOException notJson) {
            return MissingNode.getInstance();
        }
    }
}
