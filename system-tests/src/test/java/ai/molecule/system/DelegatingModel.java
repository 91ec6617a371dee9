package ai.molecule.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An endpoint that speaks OpenAI's chat completions: told {@code ask <id>: <task>} it calls {@code delegate_task} and then says
 * what came back; told anything else it says the peers it reads of in its prompt.
 */
final class DelegatingModel implements AutoCloseable {

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
            exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(turn(messages).getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String turn(JsonNode messages) {
        JsonNode last = messages.path(messages.size() - 1);
        String said = last.path("content").asText();
        if (last.path("role").asText().equals("tool")) {
            return words("They said: " + said);
        }
        if (!said.startsWith("ask ")) {
            return words(peersIn(messages.path(0).path("content").asText()));
        }
        var arguments = Platform.JSON
                .createObjectNode()
                .put("workspace_id", said.substring(4, said.indexOf(':')))
                .put("task", said.substring(said.indexOf(':') + 1).strip());
        var delta = Platform.JSON.createObjectNode();
        delta.putArray("tool_calls")
                .addObject()
                .put("index", 0)
                .put("id", "call-1")
                .put("type", "function")
                .putObject("function")
                .put("name", "delegate_task")
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
