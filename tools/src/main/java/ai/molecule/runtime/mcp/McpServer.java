package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

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
    private static final ObjectMapper JSON = new ObjectMapper();

    private final McpMethods methods;
    private final LineReader in;
    private final OutputStream out;

    /** Whether several messages may come in one, an array; as the handshake ended. */
    private boolean knowsBatches;

    /** What is told until somebody says that it is enough: they end with the input. */
    private final Set<Thread> subscriptions = new HashSet<>();

    /** By the id of its request, a batch by itself. Whoever takes a call out decides whether it is answered. */
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
        this(
                new McpMethods(
                        toolbox,
                        Stream.concat(Tools.ALL.stream(), more.stream()).toList()),
                in,
                out);
    }

    McpServer(McpMethods methods, InputStream in, OutputStream out) {
        this.methods = methods;
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
                subscriptions.removeIf(call -> !call.isAlive());
                take(read(line.get()), begun);
                line = in.next();
            }
            subscriptions.forEach(Thread::interrupt);
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
        } else if (method.equals(McpMethods.CALL) && message.hasNonNull("id")) {
            begin(message.path("id"), message, begun);
        } else if (method.equals(TaskSubscription.METHOD) && message.hasNonNull("id")) {
            subscribe(message, begun);
        } else if (message.isArray() && message.size() <= McpMethods.BATCH_MAX && knowsBatches) {
            begin(message, message, begun);
        } else {
            Optional<ObjectNode> answer = methods.answerTo(message);
            if (method.equals("initialize") && answer.isPresent()) {
                knowsBatches =
                        answer.get().at("/result/protocolVersion").asText().equals(McpRevisions.WITH_BATCHES);
            }
            say(answer);
        }
    }

    private void subscribe(JsonNode message, List<Thread> begun) throws IOException, InterruptedException {
        try {
            var subscription = methods.subscription(message);
            if (subscription.isPresent()) {
                begin(message.path("id"), message, () -> listen(message.path("id"), subscription.get()), begun);
                Optional.ofNullable(calls.get(message.path("id"))).ifPresent(subscriptions::add);
            } else {
                say(methods.answerTo(message));
            }
        } catch (McpRefusal refusal) {
            say(Optional.of(refusal.answerTo(message.path("id"))));
        }
    }

    private void listen(JsonNode id, TaskSubscription subscription) {
        try {
            subscription.tell(new Lines(id));
        } catch (InterruptedException cancelled) {
            // nobody listens any more
        } catch (IOException gone) {
            LOGGER.log(Level.DEBUG, "nobody reads what is told of tasks", gone);
        } finally {
            calls.remove(id, Thread.currentThread());
        }
    }

    /** Writes to the client what is told under that id, as long as it is not cancelled. */
    private final class Lines implements TaskSubscription.Listener {

        private final JsonNode id;

        Lines(JsonNode id) {
            this.id = id;
        }

        @Override
        public void hear(ObjectNode message) throws IOException {
            if (Thread.currentThread().equals(calls.get(id))) {
                say(Optional.of(message));
            }
        }

        @Override
        public void stillThere() {
            // there is nobody between on a pipe
        }
    }

    private void begin(JsonNode key, JsonNode message, List<Thread> begun) throws IOException {
        begin(key, message, () -> call(key, message), begun);
    }

    private void begin(JsonNode key, JsonNode message, Runnable work, List<Thread> begun) throws IOException {
        if (calls.size() >= CALLS_MAX || calls.containsKey(key)) {
            String why = calls.containsKey(key)
                    ? "a call with this id is running"
                    : CALLS_MAX + " calls are running, wait for one of them";
            say(Optional.of(McpRefusal.of(McpRefusal.BUSY, why)
                    .answerTo(message.isArray() ? NullNode.instance : message.path("id"))));
            return;
        }
        var call = Thread.ofVirtual().name("mcp-call").unstarted(work);
        calls.put(key, call); // by this thread alone, so that none is counted twice
        begun.add(call);
        call.start();
    }

    private void call(JsonNode key, JsonNode message) {
        try {
            Optional<? extends JsonNode> answer = message.isArray()
                    ? Optional.of(methods.answersTo(message)).filter(answers -> !answers.isEmpty())
                    : methods.answerTo(message);
            if (calls.remove(key) != null) {
                say(answer);
            }
        } catch (InterruptedException cancelled) {
            calls.remove(key);
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

    private void say(Optional<? extends JsonNode> answer) throws IOException {
        if (answer.isPresent()) {
            byte[] line = (answer.get() + "\n").getBytes(StandardCharsets.UTF_8);
            synchronized (out) {
                out.write(line);
                out.flush();
            }
        }
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
