package ai.molecule.runtime.mcp;

import static ai.molecule.runtime.mcp.McpRefusal.HEADER_MISMATCH;
import static ai.molecule.runtime.mcp.McpRefusal.INVALID_PARAMS;
import static ai.molecule.runtime.mcp.McpRefusal.INVALID_REQUEST;
import static ai.molecule.runtime.mcp.McpRefusal.METHOD_NOT_FOUND;
import static ai.molecule.runtime.mcp.McpRefusal.MISSING_CAPABILITY;
import static ai.molecule.runtime.mcp.McpRefusal.PARSE_ERROR;
import static ai.molecule.runtime.mcp.McpRefusal.UNSUPPORTED_VERSION;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * MCP's streamable HTTP transport, whatever serves it: a POST of one message, answered in JSON by itself, and by events where it subscribes to
 * something. There are no sessions, and the server begins nothing, so there is nothing to GET.
 *
 * <p>A request that names no revision counts as what its header {@code MCP-Protocol-Version} says, and as an older one without it. Of revision
 * 2026-07-28 what the headers {@code MCP-Protocol-Version}, {@code Mcp-Method} and {@code Mcp-Name} say must be what the body says.
 */
public final class McpOverHttp {

    public static final int BODY_MAX_BYTES = 4 * 1024 * 1024;

    /** What is wrong with the request itself, and so with its status. */
    private static final Set<Integer> BAD_REQUEST = Set.of(HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION);

    private static final String VERSION = "MCP-Protocol-Version";
    private static final String ENCODED = "=?base64?";
    private static final String ENCODED_END = "?=";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The headers of a request by their names. */
    @FunctionalInterface
    public interface Headers {
        @Nullable
        String first(String name);
    }

    /**
     * @param body empty where nothing is said
     * @param subscription what is told instead, as events, for as long as it lasts
     */
    public record Reply(int status, Optional<JsonNode> body, Optional<TaskSubscription> subscription) {

        Reply(int status, Optional<JsonNode> body) {
            this(status, body, Optional.empty());
        }

        /** One event of a stream. */
        public static String event(JsonNode message) {
            return "data: " + message + "\n\n";
        }
    }

    private static final Reply ACCEPTED = new Reply(202, Optional.empty());

    private final McpMethods methods;
    private final Headers headers;

    private McpOverHttp(McpMethods methods, Headers headers) {
        this.methods = methods;
        this.headers = headers;
    }

    /** The same of bytes, which may be no JSON. */
    public static Reply reply(McpMethods methods, byte[] body, Headers headers) throws InterruptedException {
        JsonNode message;
        try {
            message = JSON.readTree(body);
        } catch (IOException noJson) {
            message = MissingNode.getInstance();
        }
        return reply(methods, message, headers);
    }

    /**
     * May take as long as a tool does.
     *
     * @param message a missing node where what came is no JSON
     */
    public static Reply reply(McpMethods methods, JsonNode message, Headers headers) throws InterruptedException {
        return message.isMissingNode()
                ? refused(PARSE_ERROR, "JSON is required")
                : new McpOverHttp(methods, headers).reply(message);
    }

    private Reply reply(JsonNode message) throws InterruptedException {
        Optional<String> version = header(VERSION);
        if (isBatch(message) && version.orElse(McpRevisions.WITH_BATCHES).equals(McpRevisions.WITH_BATCHES)) {
            ArrayNode answers = methods.answersTo(message);
            return answers.isEmpty() ? ACCEPTED : new Reply(200, Optional.of(answers));
        }
        if (!isMessage(message)) {
            return refused(INVALID_REQUEST, "one message of JSON-RPC is required");
        }
        JsonNode id = message.hasNonNull("id") ? message.path("id") : NullNode.instance;
        try {
            boolean stateless = isStateless(message, version);
            if (stateless) {
                compare(message, version);
            }
            var subscription = stateless ? methods.subscription(message) : Optional.<TaskSubscription>empty();
            if (subscription.isPresent()) {
                return new Reply(200, Optional.empty(), subscription);
            }
            return methods.answerTo(message)
                    .map(answer -> new Reply(stateless ? status(answer) : 200, Optional.of(answer)))
                    .orElse(ACCEPTED);
        } catch (McpRefusal refusal) {
            return new Reply(400, Optional.of(refusal.answerTo(id)));
        }
    }

    private static boolean isBatch(JsonNode message) {
        return message.isArray()
                && !message.isEmpty()
                && message.size() <= McpMethods.BATCH_MAX
                && StreamSupport.stream(message.spliterator(), false).allMatch(McpOverHttp::isMessage);
    }

    private static boolean isMessage(JsonNode message) {
        return message.path("method").isTextual() || message.has("result") || message.has("error");
    }

    /** @throws McpRefusal when the header names a revision that nobody speaks here */
    private static boolean isStateless(JsonNode message, Optional<String> version) {
        if (message.path("method").asText().equals("initialize")) {
            return false;
        }
        if (McpMethods.namesItsRevision(message)) {
            return true;
        }
        if (version.isPresent() && !McpRevisions.ALL.contains(version.get())) {
            throw McpRefusal.unsupported(version.get());
        }
        return version.filter(McpRevisions.STATELESS::equals).isPresent();
    }

    private void compare(JsonNode message, Optional<String> version) {
        JsonNode params = message.path("params");
        String method = message.path("method").asText();
        if (McpMethods.isRequest(message)) {
            if (!McpMethods.namesItsRevision(message)) {
                throw McpRefusal.of(INVALID_PARAMS, "_meta must have " + McpMethods.VERSION_KEY);
            }
            String revision = params.path("_meta").path(McpMethods.VERSION_KEY).asText();
            same(VERSION, version, revision);
            if (!revision.equals(McpRevisions.STATELESS)) {
                throw McpRefusal.unsupported(revision); // its headers are not known
            }
            McpMethods.requireCapabilities(params.path("_meta"));
        }
        same("Mcp-Method", header("Mcp-Method"), method);
        String named = method.equals(McpMethods.CALL) ? "name" : McpMethods.TASKS.contains(method) ? "taskId" : "";
        if (!named.isEmpty()) {
            same(
                    "Mcp-Name",
                    header("Mcp-Name").map(McpOverHttp::decoded),
                    params.path(named).asText());
        }
    }

    private static void same(String name, Optional<String> said, String inBody) {
        if (!said.equals(Optional.of(inBody))) {
            throw McpRefusal.of(
                    HEADER_MISMATCH,
                    "Header mismatch: " + name
                            + said.map(value -> " is not what the body says").orElse(" is missing"));
        }
    }

    private Optional<String> header(String name) {
        return Optional.ofNullable(headers.first(name)).map(String::strip);
    }

    /** What is no plain ASCII comes in Base64; what is no Base64 is nothing that a body says. */
    private static String decoded(String value) {
        if (!value.startsWith(ENCODED) || !value.endsWith(ENCODED_END)) {
            return value;
        }
        try {
            byte[] bytes = Base64.getDecoder()
                    .decode(value.substring(ENCODED.length(), value.length() - ENCODED_END.length()));
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException noBase64) {
            return value;
        }
    }

    private static int status(ObjectNode answer) {
        int code = answer.path("error").path("code").asInt();
        if (code == METHOD_NOT_FOUND) {
            return 404;
        }
        return BAD_REQUEST.contains(code) ? 400 : 200;
    }

    private static Reply refused(int code, String why) {
        return new Reply(400, Optional.of(McpRefusal.of(code, why).answerTo(NullNode.instance)));
    }
}
