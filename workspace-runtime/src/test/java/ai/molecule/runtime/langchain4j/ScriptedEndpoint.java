package ai.molecule.runtime.langchain4j;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An endpoint that speaks OpenAI's chat completions and does what the last message says; else it answers {@code You said:
 * <text>}. What calls tools is in {@link ScriptedTurn}.
 */
public final class ScriptedEndpoint implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String END =
            "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                    + "data: [DONE]\n\n";

    public final List<JsonNode> requests = new CopyOnWriteArrayList<>();
    final List<String> keys = new CopyOnWriteArrayList<>();

    /** What each request said it was for. */
    final List<String> purposes = new CopyOnWriteArrayList<>();

    /** What each turn of a script takes, in and out; 0 where it is not said. */
    public final AtomicInteger tokens = new AtomicInteger();

    /** What the door says that the model costs; empty for an endpoint that is no door. */
    public final AtomicReference<String> price = new AtomicReference<>("");

    /** How many requests are refused that say so. */
    final AtomicInteger refusals = new AtomicInteger(Integer.MAX_VALUE);

    /** A tool with which it takes no request; empty when it takes all. */
    volatile String blames = "";

    final CountDownLatch release = new CountDownLatch(1);
    final CountDownLatch left = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    public ScriptedEndpoint() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/chat/completions", this::answer);
        server.createContext("/openai/v1/chat/completions", this::answer); // as the platform's model door has it
        server.setExecutor(threads);
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
    }

    @Override
    public void close() {
        release.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        JsonNode request = JSON.readTree(exchange.getRequestBody());
        requests.add(request);
        keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        purposes.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Molecule-Context")));
        JsonNode messages = request.path("messages");
        JsonNode content = messages.path(messages.size() - 1).path("content");
        String said = content.path(0).path("text").asText(content.asText());
        try (exchange) {
            boolean blind = said.startsWith("no pictures") && content.isArray();
            boolean refuses = blind || Set.of("no tools", "too long").contains(said) && request.has("tools");
            if (said.startsWith("status ") && refusals.getAndDecrement() > 0 || refuses) {
                String[] script = said.split(" ", 4); // status <n> [after <when>]
                if (script.length == 4) {
                    exchange.getResponseHeaders().add("Retry-After", script[3]);
                }
                String why =
                        switch (said) {
                            case "no tools" -> "scripted does not support tools";
                            case "too long" -> "maximum context length exceeded";
                            default -> blind ? "image input is not supported" : "the key sk-secret is wrong";
                        };
                byte[] error = ("{\"error\":{\"message\":\"" + why + "\"}}").getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(refuses ? 400 : Integer.parseInt(script[1]), error.length);
                exchange.getResponseBody().write(error);
                return;
            }
            if (!blames.isEmpty() && request.path("tools").toString().contains("\"" + blames + "\"")) {
                byte[] error = ("{\"error\":{\"message\":\"Invalid schema for function '" + blames
                                + "': 'text' is not valid under any of the given schemas.\"}}")
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(400, error.length);
                exchange.getResponseBody().write(error);
                return;
            }
            if (said.equals("no price")) {
                byte[] error = "{\"error\":{\"message\":\"add its price\",\"code\":\"no_price\"}}"
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(403, error.length);
                exchange.getResponseBody().write(error);
                return;
            }
            if (said.equals("hang")) {
                waitForRelease();
                return;
            }
            exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
            String told = String.valueOf(price.get());
            if (!told.isEmpty()) {
                exchange.getResponseHeaders().add("X-Molecule-Price", told);
            }
            exchange.sendResponseHeaders(200, 0);
            var turn = ScriptedTurn.of(messages);
            if (turn.isPresent()) {
                write(exchange.getResponseBody(), counted(turn.get()));
            } else {
                speak(said, exchange.getResponseBody());
            }
        } catch (IOException gone) {
            left.countDown();
        }
    }

    private String counted(String turn) {
        int each = tokens.get();
        return each == 0
                ? turn
                : turn.replace(
                        "data: [DONE]",
                        "data: {\"id\":\"1\",\"choices\":[],\"usage\":{\"prompt_tokens\":%1$d,\"completion_tokens\":%1$d,\"total_tokens\":%2$d}}\n\ndata: [DONE]"
                                .formatted(each, 2 * each));
    }

    private void speak(String said, OutputStream out) throws IOException {
        switch (said) {
            case "page" -> write(out, "<html>welcome</html>");
            case "junk" -> write(out, "data: {\"choices\": 7\n\n");
            case "empty" -> write(out, "data: [DONE]\n\n");
            case "endless line" -> {
                while (true) {
                    write(out, "data: " + "x".repeat(60_000));
                }
            }
            case "endless" -> {
                while (true) {
                    write(out, token("word "));
                }
            }
            case "break" -> {
                write(out, token("half"));
                throw new IOException("as if the connection broke");
            }
            case "no money" -> {
                write(out, token("Once upon "));
                write(out, "data: {\"error\":{\"message\":\"m\",\"code\":\"budget_exceeded\"}}\n\ndata: [DONE]\n\n");
            }
            case "stall" -> {
                write(out, token("one "));
                waitForRelease();
                write(out, token("two") + END);
            }
            default -> {
                for (String word : ("You said: " + said).split("(?<= )")) {
                    write(out, token(word));
                }
                write(out, END);
            }
        }
    }

    private void waitForRelease() {
        try {
            release.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static String token(String text) {
        var event = JSON.createObjectNode().put("id", "1").put("model", "scripted");
        var choice = event.putArray("choices").addObject().put("index", 0);
        choice.putObject("delta").put("role", "assistant").put("content", text);
        return "data: " + event + "\n\n";
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
