package ai.molecule.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A provider with prices whose model mends a script: reads it, runs its test, edits it, runs the test again, asks for leave to publish, and says
 * what it was answered. How far it is it counts in the conversation. After the edit it says nothing at all, once: that is the moment to kill.
 */
final class WorkingModel implements AutoCloseable {

    /** What each answer says that it took. */
    static final int TOKENS_IN = 1000;

    static final int TOKENS_OUT = 100;

    private record Call(String tool, Map<String, String> arguments) {}

    private static final List<Call> STEPS = List.of(
            new Call("read", Map.of("path", "greet.sh")),
            new Call("run", Map.of("command", "sh test.sh")),
            new Call("edit", Map.of("path", "greet.sh", "old_text", "Hullo", "new_text", "Hello")),
            new Call("run", Map.of("command", "sh test.sh")),
            new Call("request_approval", Map.of("action", "publish greet.sh")));

    private static final int EDITED = 3;

    /** What it does all that for. */
    static final String ASKED = "Make the test green";

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicBoolean silent = new AtomicBoolean();
    private final CountDownLatch over = new CountDownLatch(1);
    private final HttpServer server;

    /** The keys that it was asked with. */
    final Queue<String> keys = new ConcurrentLinkedQueue<>();

    WorkingModel() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/v1/chat/completions", this::answer);
        server.start();
    }

    /** A file for {@code MOLECULE_PROVIDERS}: Anthropic is here, a million tokens cost 2 dollars in and 10 out. */
    Path providers(Path folder) throws IOException {
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
        return Files.writeString(folder.resolve("providers.json"), """
                {"providers":[{"name":"anthropic","endpoints":{"openai":"%s"},"secret":"ANTHROPIC_API_KEY","serves":["chat"],
                 "auth":"bearer","usage_on_request":true,"default_model":"claude-opus-4-7",
                 "prices":[{"model":"claude-opus-4-7","in":2,"out":10,"dated":"2026-11-23"}]}]}
                """.formatted(url));
    }

    /** Whether it has been asked after the edit, and says nothing. */
    boolean isSilent() {
        return silent.get();
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            keys.add(exchange.getRequestHeaders().getFirst("Authorization"));
            var messages = Platform.JSON.readTree(exchange.getRequestBody()).path("messages");
            String turn = turn(messages);
            exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(turn.getBytes(StandardCharsets.UTF_8));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private String turn(JsonNode messages) throws InterruptedException {
        int answered = 0;
        boolean asked = false;
        for (JsonNode message : messages) {
            answered += message.path("role").asText().equals("tool") ? 1 : 0;
            asked |= message.path("content").asText().contains(ASKED);
        }
        if (!asked) { // an agent that came back is told what it came back to
            return turn(Platform.JSON.createObjectNode().put("content", "Understood."), "stop");
        }
        if (answered == EDITED && silent.compareAndSet(false, true)) {
            over.await();
        }
        if (answered == STEPS.size()) {
            String last = messages.path(messages.size() - 1).path("content").asText();
            return turn(
                    Platform.JSON.createObjectNode().put("content", "The test is green; publishing was " + last),
                    "stop");
        }
        var call = STEPS.get(answered);
        var delta = Platform.JSON.createObjectNode();
        delta.putArray("tool_calls")
                .addObject()
                .put("index", 0)
                .put("id", "call-" + answered)
                .put("type", "function")
                .putObject("function")
                .put("name", call.tool)
                .put("arguments", Platform.JSON.valueToTree(call.arguments).toString());
        return turn(delta, "tool_calls");
    }

    private static String turn(ObjectNode delta, String reason) {
        var last = chunk(Platform.JSON.createObjectNode(), reason);
        last.putObject("usage")
                .put("prompt_tokens", TOKENS_IN)
                .put("completion_tokens", TOKENS_OUT)
                .put("total_tokens", TOKENS_IN + TOKENS_OUT);
        return "data: " + chunk(delta, null) + "\n\ndata: " + last + "\n\ndata: [DONE]\n\n";
    }

    private static ObjectNode chunk(ObjectNode delta, String reason) {
        var chunk = Platform.JSON.createObjectNode().put("id", "1").put("model", "scripted");
        chunk.putArray("choices")
                .addObject()
                .put("index", 0)
                .put("finish_reason", reason)
                .set("delta", delta);
        return chunk;
    }
}
