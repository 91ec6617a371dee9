package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tools over MCP's stdio transport, a message a line. Calls of tools run at the same time, {@value #CALLS_MAX} at most, and
 * are answered as they end, so that a ping and whatever else comes meanwhile is answered at once; {@code
 * notifications/cancelled} interrupts a call, which then gets no answer. A line that is no JSON object, a notification and an
 * answer get nothing.
 */
public final class McpServer {

    /** A further call is refused until one of these ends. */
    static final int CALLS_MAX = 32;

    private static final Logger LOGGER = System.getLogger(McpServer.class.getName());
    /** Whatever version a client asks for, as clients of the platform are used to. */
    private static final List<String> VERSIONS = List.of("2024-11-05");

    private static final int REFUSED = -32_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final McpMethods methods;
    private final LineReader in;
    private final OutputStream out;

    /** By the id of its request. Whoever takes a call out decides whether it is answered. */
    private final Map<JsonNode, Thread> calls = new ConcurrentHashMap<>();

    /** @param out gets nothing but the protocol */
    public McpServer(Toolbox toolbox, InputStream in, OutputStream out) {
        this(toolbox, List.of(), in, out);
    }

    /**
     * @param more tools, besides the platform's
     * @param out gets nothing but the protocol
     */
    public McpServer(Toolbox toolbox, List<ToolSpec> more, InputStream in, OutputStream out) {
        this.methods = new McpMethods(toolbox, more, VERSIONS);
        this.in = new LineReader(in);
        this.out = out;
    }

    /** Serves until the input ends and what was called until then is answered. */
    public void run() throws IOException, InterruptedException {
        List<Thread> begun = new ArrayList<>();
        try {
            Optional<String> line = in.next();
            while (line.isPresent()) {
                begun.removeIf(call -> !call.isAlive());
                take(read(line.get()), begun);
                line = in.next();
            }
            for (Thread call : begun) {
                call.join();
            }
        } finally {
            begun.forEach(Thread::interrupt);
        }
    }

    private void take(JsonNode message, List<Thread> begun) throws IOException, InterruptedException {
        String method = message.path("method").asText();
        if (method.equals("notifications/cancelled")) {
            cancel(message.at("/params/requestId"));
        } else if (method.equals("tools/call") && message.hasNonNull("id")) {
            begin(message, begun);
        } else {
            say(methods.answerTo(message));
        }
    }

    private void begin(JsonNode request, List<Thread> begun) throws IOException {
        JsonNode id = request.path("id");
        if (calls.size() >= CALLS_MAX || calls.containsKey(id)) {
            say(Optional.of(refusal(
                    id,
                    calls.containsKey(id)
                            ? "a call with this id is running"
                            : CALLS_MAX + " calls are running, wait for one of them")));
            return;
        }
        var call = Thread.ofVirtual().name("mcp-call").unstarted(() -> call(request));
        calls.put(id, call); // by this thread alone, so that none is counted twice
        begun.add(call);
        call.start();
    }

    private void call(JsonNode request) {
        try {
            Optional<ObjectNode> answer = methods.answerTo(request);
            if (calls.remove(request.path("id")) != null) {
                say(answer);
            }
        } catch (InterruptedException cancelled) {
            calls.remove(request.path("id"));
        } catch (IOException gone) {
            LOGGER.log(Level.DEBUG, "nobody reads what a tool answered", gone);
        }
    }

    private void cancel(JsonNode id) {
        Thread call = calls.remove(id);
        if (call != null) {
            call.interrupt();
        }
    }

    private void say(Optional<ObjectNode> answer) throws IOException {
        if (answer.isPresent()) {
            byte[] line = (answer.get() + "\n").getBytes(StandardCharsets.UTF_8);
            synchronized (out) {
                out.write(line);
                out.flush();
            }
        }
    }

    private static ObjectNode refusal(JsonNode id, String why) {
        ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", id);
        answer.putObject("error").put("code", REFUSED).put("message", why);
        return answer;
    }

    private static JsonNode read(String line) {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException e) {
            LOGGER.log(Level.WARNING, "a line that is no JSON is ignored");
            return JSON.missingNode();
        }
    }
}
