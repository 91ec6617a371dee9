package ai.molecule.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An agent outside the platform whose one task says a word every 100 ms until it is told to finish or is cancelled, whoever listens. */
final class WordAgent implements AutoCloseable {

    private static final long PAUSE_MILLIS = 100;

    private final HttpServer server;
    private final boolean followable;
    private final AtomicInteger said = new AtomicInteger();
    private final CountDownLatch finish = new CountDownLatch(1);
    final AtomicInteger sends = new AtomicInteger();
    final AtomicInteger cancelled = new AtomicInteger();

    /** @param followable whether it knows {@code tasks/resubscribe} */
    WordAgent(boolean followable) {
        this.followable = followable;
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

    void finish() {
        finish.countDown();
    }

    int said() {
        return said.get();
    }

    @Override
    public void close() {
        finish();
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        JsonNode request = Platform.JSON.readTree(exchange.getRequestBody());
        String method = request.path("method").asText();
        boolean sent = method.equals("message/stream");
        if (sent) {
            sends.incrementAndGet();
        }
        if (sent || (followable && method.equals("tasks/resubscribe"))) {
            stream(exchange, request.get("id"));
        } else if (method.equals("tasks/cancel")) {
            cancelled.incrementAndGet();
            finish();
            answer(
                    exchange,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"words\",\"contextId\":\"c\",\"status\":{\"state\":\"canceled\"}}}");
        } else {
            answer(exchange, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"?\"}}");
        }
    }

    private static void answer(HttpExchange exchange, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** The task as it is, then every further word, then its end. */
    private void stream(HttpExchange exchange, JsonNode id) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        int from = said.get();
        String soFar =
                IntStream.rangeClosed(1, from).mapToObj(k -> "w" + k + ";").collect(Collectors.joining());
        event(
                exchange,
                id,
                "\"kind\":\"task\",\"id\":\"words\",\"contextId\":\"c\",\"status\":{\"state\":\"working\"},"
                        + "\"artifacts\":[{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"" + soFar
                        + "\"}]}]");
        try {
            for (int k = from + 1; !finish.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS); k++) {
                event(
                        exchange,
                        id,
                        "\"kind\":\"artifact-update\",\"taskId\":\"words\",\"contextId\":\"c\",\"append\":true,\"artifact\":"
                                + "{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"w" + k + ";\"}]}");
                said.accumulateAndGet(k, Math::max);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        event(
                exchange,
                id,
                "\"kind\":\"status-update\",\"taskId\":\"words\",\"contextId\":\"c\",\"status\":{\"state\":\"completed\"},\"final\":true");
        exchange.close();
    }

    private static void event(HttpExchange exchange, JsonNode id, String result) throws IOException {
        String text = "data: {\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{" + result + "}}\n\n";
        exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
    }
}
