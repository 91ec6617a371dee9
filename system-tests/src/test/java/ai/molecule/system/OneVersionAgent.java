package ai.molecule.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;

/** An agent outside the platform that speaks one version of A2A and refuses every word of the other. */
final class OneVersionAgent implements AutoCloseable {

    private static final String TASK_03 =
            "{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\"completed\",\"timestamp\":\"2026-11-23T10:00:00Z\"},"
                    + "\"artifacts\":[{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"done: SAID\"}]}],\"history\":[]}";
    private static final String TASK_10 =
            "{\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\",\"timestamp\":\"2026-11-23T10:00:00Z\"},"
                    + "\"artifacts\":[{\"artifactId\":\"a\",\"parts\":[{\"text\":\"done: SAID\"}]}]}";

    private final HttpServer server;
    private final boolean in10;

    /** What it refused. */
    final Queue<String> strange = new ConcurrentLinkedQueue<>();

    /** @param version {@code 0.3} or {@code 1.0} */
    OneVersionAgent(String version) {
        in10 = version.equals("1.0");
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/";
    }

    String card() {
        String both = "\"name\":\"One\",\"description\":\"d\",\"version\":\"1\",\"capabilities\":{\"streaming\":true},"
                + "\"defaultInputModes\":[\"text/plain\"],\"defaultOutputModes\":[\"text/plain\"],\"skills\":[]";
        return in10
                ? "{" + both + ",\"supportedInterfaces\":[{\"url\":\"" + url()
                        + "\",\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\"}]}"
                : "{" + both + ",\"protocolVersion\":\"0.3.0\",\"url\":\"" + url() + "\"}";
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        if (exchange.getRequestMethod().equals("GET")) {
            answer(exchange, "application/json", card());
            return;
        }
        JsonNode request = Platform.JSON.readTree(exchange.getRequestBody());
        String method = request.path("method").asText();
        JsonNode message = request.path("params").path("message");
        String version = String.valueOf(exchange.getRequestHeaders().getFirst("A2A-Version"));
        boolean known = in10
                ? version.equals("1.0")
                        && !message.has("kind")
                        && (message.isMissingNode()
                                || message.path("role").asText().equals("ROLE_USER"))
                : !version.equals("1.0")
                        && (message.isMissingNode()
                                || message.path("kind").asText().equals("message"));
        if (!known) {
            strange.add(version + " " + request);
        }
        String said = message.path("parts").path(0).path("text").asText("?");
        String task = (in10 ? TASK_10 : TASK_03).replace("SAID", said);
        boolean isTask = request.path("params").path("id").asText("t-1").equals("t-1");
        switch (method) {
            case "message/send", "SendMessage" ->
                answer(
                        exchange,
                        request,
                        in10 ? "\"result\":{\"task\":" + task + "}" : "\"result\":" + task,
                        method.equals("SendMessage"));
            case "message/stream", "SendStreamingMessage" -> stream(exchange, request, said);
            case "tasks/get", "GetTask" ->
                answer(
                        exchange,
                        request,
                        isTask ? "\"result\":" + task : "\"error\":{\"code\":-32001,\"message\":\"Task not found\"}",
                        method.equals("GetTask"));
            case "tasks/cancel", "CancelTask" ->
                answer(
                        exchange,
                        request,
                        "\"error\":{\"code\":-32002,\"message\":\"Task cannot be canceled\"}",
                        method.equals("CancelTask"));
            default -> answer(exchange, request, "\"error\":{\"code\":-32601,\"message\":\"?\"}", in10);
        }
    }

    private void answer(HttpExchange exchange, JsonNode request, String member, boolean asked10) throws IOException {
        if (asked10 != in10) {
            strange.add(request.toString());
        }
        answer(exchange, "application/json", envelope(request, member));
    }

    private static String envelope(JsonNode request, String member) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + request.path("id") + "," + member + "}";
    }

    private void stream(HttpExchange exchange, JsonNode request, String said) throws IOException {
        String of = "\"taskId\":\"t-1\",\"contextId\":\"c-1\"";
        String events = in10
                ? event(
                                request,
                                "{\"task\":{\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\"TASK_STATE_SUBMITTED\"}}}")
                        + event(
                                request,
                                "{\"artifactUpdate\":{" + of
                                        + ",\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"text\":\"" + said
                                        + "\"}]}}}")
                        + event(
                                request,
                                "{\"statusUpdate\":{" + of + ",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}")
                : event(
                                request,
                                "{\"kind\":\"status-update\"," + of
                                        + ",\"status\":{\"state\":\"submitted\"},\"final\":false}")
                        + event(
                                request,
                                "{\"kind\":\"artifact-update\"," + of
                                        + ",\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\""
                                        + said + "\"}]}}")
                        + event(
                                request,
                                "{\"kind\":\"status-update\"," + of
                                        + ",\"status\":{\"state\":\"completed\"},\"final\":true}");
        answer(exchange, "text/event-stream", events);
    }

    private static String event(JsonNode request, String result) {
        return "data: " + envelope(request, "\"result\":" + result) + "\n\n";
    }

    private static void answer(HttpExchange exchange, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
