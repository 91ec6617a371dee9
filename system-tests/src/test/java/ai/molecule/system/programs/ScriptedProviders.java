package ai.molecule.system.programs;

import ai.molecule.system.PlatformApi;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;

/**
 * Anthropic, OpenAI and Google, whose models do what the message says: a message has {@code SCRIPT[step, …]END}, each step a JSON object
 * {@code {"tool":…,"args":{…}}} or {@code {"hang":true}}, in which the first asked says nothing more. After the last step the model says what the
 * tools answered. How far it is it reads in the conversation, as a model does.
 */
final class ScriptedProviders implements AutoCloseable {

    private static final Pattern SCRIPT = Pattern.compile("SCRIPT(\\[.*?\\])END", Pattern.DOTALL);

    /** A protocol: what of a conversation tools answered and what was said, in order, and how a turn is written. */
    private interface Protocol {
        void read(JsonNode request, List<Entry> into);

        String call(String id, String tool, JsonNode arguments);

        String words(String text);
    }

    /** @param result of a tool, or words of anybody's */
    private record Entry(boolean result, String text) {}

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<String> hung = ConcurrentHashMap.newKeySet();
    private final HttpServer server;
    private final CountDownLatch over = new CountDownLatch(1);

    /** Paths that were asked, and with which key. */
    final Queue<String> asked = new ConcurrentLinkedQueue<>();

    ScriptedProviders() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        serve("/anthropic/v1/messages", new Anthropic());
        serve("/openai/v1/responses", new OpenAi());
        serve("/google/v1beta/models/", new Google());
        server.start();
    }

    /** By the secret that names it. */
    Map<String, String> secrets() {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        return Map.of(
                "ANTHROPIC_BASE_URL",
                url + "/anthropic",
                "ANTHROPIC_API_KEY",
                "sk-ant-the-real-key",
                "OPENAI_BASE_URL",
                url + "/openai/v1",
                "OPENAI_API_KEY",
                "sk-the-real-key",
                "GOOGLE_GEMINI_BASE_URL",
                url + "/google",
                "GEMINI_API_KEY",
                "the-real-google-key");
    }

    /** Whether a model that was given the script says nothing more. */
    boolean hangs(String script) {
        return hung.contains(script);
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void serve(String path, Protocol protocol) {
        server.createContext(path, exchange -> answer(exchange, protocol));
    }

    private void answer(HttpExchange exchange, Protocol protocol) throws IOException {
        try (exchange) {
            JsonNode request = PlatformApi.JSON.readTree(exchange.getRequestBody());
            var headers = exchange.getRequestHeaders();
            asked.add(exchange.getRequestURI().getPath() + " "
                    + headers.getOrDefault(
                            "x-api-key", headers.getOrDefault("x-goog-api-key", headers.get("Authorization"))));
            String turn = turn(request, protocol);
            exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(turn.getBytes(StandardCharsets.UTF_8));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private String turn(JsonNode request, Protocol protocol) throws IOException, InterruptedException {
        List<Entry> entries = new ArrayList<>();
        protocol.read(request, entries);
        String script = "";
        for (Entry entry : entries) { // the last that was asked for
            var found = SCRIPT.matcher(entry.result ? "" : entry.text);
            while (found.find()) {
                script = found.group(1);
            }
        }
        if (script.isEmpty()) {
            return protocol.words("nothing to do");
        }
        List<String> results = new ArrayList<>();
        boolean begun = false;
        for (Entry entry : entries) { // asked for again after an interruption, it is the same
            begun |= !entry.result && entry.text.contains(script);
            if (begun && entry.result) {
                results.add(entry.text);
            }
        }
        int passed = 0;
        for (JsonNode step : PlatformApi.JSON.readTree(script)) {
            if (step.path("hang").asBoolean()) {
                if (passed == results.size() && hung.add(script)) {
                    over.await();
                }
            } else if (passed++ == results.size()) {
                return protocol.call(
                        "call_" + passed + "_" + Integer.toHexString(script.hashCode()),
                        step.path("tool").asText(),
                        step.path("args"));
            }
        }
        return protocol.words("DONE " + String.join(" | ", results));
    }

    private static ObjectNode object() {
        return PlatformApi.JSON.createObjectNode();
    }

    private static String event(ObjectNode event) {
        return "event: " + event.path("type").asText() + "\ndata: " + event + "\n\n";
    }

    private static String text(JsonNode content) {
        if (content.isTextual()) {
            return content.textValue();
        }
        List<String> texts = new ArrayList<>();
        content.forEach(part -> texts.add(part.path("text").asText()));
        return String.join("\n", texts);
    }

    private static final class Anthropic implements Protocol {
        @Override
        public void read(JsonNode request, List<Entry> into) {
            for (JsonNode message : request.path("messages")) {
                JsonNode content = message.path("content");
                if (content.isTextual()) {
                    into.add(new Entry(false, content.textValue()));
                }
                for (JsonNode block : content) {
                    if (block.path("type").asText().equals("tool_result")) {
                        into.add(new Entry(true, text(block.path("content"))));
                    } else if (message.path("role").asText().equals("user")) {
                        into.add(new Entry(false, block.path("text").asText()));
                    }
                }
            }
        }

        @Override
        public String call(String id, String tool, JsonNode arguments) {
            var block = object().put("type", "tool_use").put("id", id).put("name", tool);
            block.putObject("input");
            return turn(
                    block,
                    object().put("type", "input_json_delta").put("partial_json", arguments.toString()),
                    "tool_use");
        }

        @Override
        public String words(String text) {
            return turn(
                    object().put("type", "text").put("text", ""),
                    object().put("type", "text_delta").put("text", text),
                    "end_turn");
        }

        private static String turn(ObjectNode block, ObjectNode delta, String reason) {
            var start = object().put("type", "message_start");
            var message = start.putObject("message");
            message.put("id", "msg_1")
                    .put("type", "message")
                    .put("role", "assistant")
                    .put("model", "scripted");
            message.putArray("content");
            message.putObject("usage").put("input_tokens", 10).put("output_tokens", 1);
            var end = object().put("type", "message_delta");
            end.putObject("delta").put("stop_reason", reason);
            end.putObject("usage").put("output_tokens", 5);
            return event(start)
                    + event(object().put("type", "content_block_start")
                            .put("index", 0)
                            .set("content_block", block))
                    + event(object().put("type", "content_block_delta")
                            .put("index", 0)
                            .set("delta", delta))
                    + event(object().put("type", "content_block_stop").put("index", 0))
                    + event(end)
                    + event(object().put("type", "message_stop"));
        }
    }

    private static final class OpenAi implements Protocol {
        @Override
        public void read(JsonNode request, List<Entry> into) {
            for (JsonNode item : request.path("input")) {
                if (item.path("type").asText().endsWith("_output")) {
                    into.add(new Entry(true, text(item.path("output"))));
                } else if (item.path("role").asText().equals("user")) {
                    into.add(new Entry(false, text(item.path("content"))));
                }
            }
        }

        /** Tools of a server stand in a namespace. */
        @Override
        public String call(String id, String tool, JsonNode arguments) {
            var item =
                    object().put("type", "function_call").put("id", "fc_" + id).put("call_id", id);
            int server = tool.lastIndexOf("__");
            if (server > 0) {
                item.put("namespace", tool.substring(0, server));
            }
            return turn(item.put("name", server > 0 ? tool.substring(server + 2) : tool)
                    .put("arguments", arguments.toString()));
        }

        @Override
        public String words(String text) {
            var item = object().put("type", "message").put("id", "msg_1").put("role", "assistant");
            item.putArray("content")
                    .addObject()
                    .put("type", "output_text")
                    .put("text", text)
                    .putArray("annotations");
            return turn(item);
        }

        private static String turn(ObjectNode item) {
            var created = object().put("type", "response.created");
            created.putObject("response").put("id", "resp_1");
            var done = object().put("type", "response.output_item.done").put("output_index", 0);
            done.set("item", item);
            var completed = object().put("type", "response.completed");
            completed
                    .putObject("response")
                    .put("id", "resp_1")
                    .putObject("usage")
                    .put("input_tokens", 10)
                    .put("output_tokens", 5)
                    .put("total_tokens", 15);
            return event(created) + event(done) + event(completed);
        }
    }

    private static final class Google implements Protocol {
        @Override
        public void read(JsonNode request, List<Entry> into) {
            for (JsonNode content : request.path("contents")) {
                for (JsonNode part : content.path("parts")) {
                    if (part.has("functionResponse")) {
                        var result = new Entry(
                                true,
                                part.at("/functionResponse/response/output").asText(part.toString()));
                        if (into.isEmpty() || !into.getLast().equals(result)) {
                            into.add(result); // a session that is gone on with has its last result twice
                        }
                    } else if (content.path("role").asText("user").equals("user")) {
                        into.add(new Entry(false, part.path("text").asText()));
                    }
                }
            }
        }

        @Override
        public String call(String id, String tool, JsonNode arguments) {
            var part = object();
            part.putObject("functionCall").put("name", tool).set("args", arguments);
            return turn(part);
        }

        @Override
        public String words(String text) {
            return turn(object().put("text", text));
        }

        private static String turn(ObjectNode part) {
            var answer = object();
            var candidate = answer.putArray("candidates")
                    .addObject()
                    .put("finishReason", "STOP")
                    .put("index", 0);
            var content = candidate.putObject("content").put("role", "model");
            ArrayNode parts = content.putArray("parts");
            parts.add(part);
            answer.putObject("usageMetadata")
                    .put("promptTokenCount", 10)
                    .put("candidatesTokenCount", 5)
                    .put("totalTokenCount", 15);
            return "data: " + answer.put("responseId", "r-1") + "\n\n";
        }
    }
}
