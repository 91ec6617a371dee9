package ai.molecule.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * An endpoint that speaks OpenAI's chat completions: told {@code ask <id>: <task>} it calls {@code delegate_task}, told {@code hand <id>:
 * <task>} {@code delegate_task_async}, and then says what came back; told {@link #WITHOUT_END} it writes until it is left; told anything else it says the peers it reads of in its prompt.
 */
final class DelegatingModel implements AutoCloseable {

    static final String WITHOUT_END = "write without end";

    /** Twenty tokens, as they are counted. */
    private static final String PIECE = "abc".repeat(20);

    private static final long PIECE_NANOS = Duration.ofMillis(5).toNanos();

    /** The bearers it was asked with, in order. */
    final List<String> keys = new CopyOnWriteArrayList<>();

    /** Completes when it was left in the middle of what it wrote. */
    final CompletableFuture<Void> left = new CompletableFuture<>();

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    DelegatingModel() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/v1/chat/completions", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode messages =
                    Platform.JSON.readTree(exchange.getRequestBody()).path("messages");
            keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            if (messages.path(messages.size() - 1).path("content").asText().contains(WITHOUT_END)) {
                writeOn(exchange.getResponseBody());
                return;
            }
            exchange.getResponseBody().write(turn(messages).getBytes(StandardCharsets.UTF_8));
        }
    }

    private void writeOn(OutputStream out) {
        byte[] piece = event(Platform.JSON.createObjectNode().put("content", PIECE), null)
                .getBytes(StandardCharsets.UTF_8);
        try {
            while (true) {
                out.write(piece);
                out.flush();
                LockSupport.parkNanos(PIECE_NANOS);
            }
        } catch (IOException gone) {
            left.complete(null);
        }
    }

    private static String turn(JsonNode messages) {
        JsonNode last = messages.path(messages.size() - 1);
        String said = last.path("content").asText().replaceFirst("^\\[Sender[^\n]*\n\n", ""); // who speaks
        if (last.path("role").asText().equals("tool")) {
            return words("They said: " + said);
        }
        boolean hands = said.startsWith("hand ");
        if (!hands && !said.startsWith("ask ")) {
            return words(peersIn(messages.path(0).path("content").asText()));
        }
        var arguments = Platform.JSON
                .createObjectNode()
                .put("workspace_id", said.substring(said.indexOf(' ') + 1, said.indexOf(':')))
                .put("task", said.substring(said.indexOf(':') + 1).strip());
        var delta = Platform.JSON.createObjectNode();
        delta.putArray("tool_calls")
                .addObject()
                .put("index", 0)
                .put("id", "call-1")
                .put("type", "function")
                .putObject("function")
                .put("name", hands ? "delegate_task_async" : "delegate_task")
                .put("arguments", arguments.toString());
        return event(delta, null) + event(Platform.JSON.createObjectNode(), "tool_calls");
    }

    private static String peersIn(String prompt) {
        return String.join(
                "\n",
                prompt.lines()
                        .filter(line -> line.startsWith("- **") && line.contains("(id: `"))
                        .toList());
    }

    private static String words(String text) {
        return event(Platform.JSON.createObjectNode().put("content", text), null)
                + event(Platform.JSON.createObjectNode(), "stop");
    }

    private static String event(JsonNode delta, String finishReason) {
        var event = Platform.JSON.createObjectNode().put("id", "1").put("model", "scripted");
        var choice = event.putArray("choices").addObject().put("index", 0);
        choice.set("delta", delta);
        choice.put("finish_reason", finishReason);
        return "data: " + event + "\n\n" + (finishReason == null ? "" : "data: [DONE]\n\n");
    }
}
