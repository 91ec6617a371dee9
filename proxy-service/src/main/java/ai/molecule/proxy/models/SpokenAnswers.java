package ai.molecule.proxy.models;

import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.proxy.streams.SseSplitter;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a person would read of an answer, streamed or whole, in any of the protocols: its words, the tools it wants, its tokens. */
public final class SpokenAnswers {

    /**
     * One answer.
     *
     * @param text its words, or what is wrong with the request
     * @param tools each as {@code name arguments}
     * @param usage null when it does not say
     */
    public record Spoken(
            int status,
            String text,
            List<String> tools,
            @Nullable ModelUsage usage) {}

    private static final int EVENT_MAX_BYTES = 32 << 20;

    private final ModelProtocol protocol;
    private final UsageReader usage;
    private final StringBuilder text = new StringBuilder();
    private final Map<String, StringBuilder> tools = new LinkedHashMap<>();

    private SpokenAnswers(ModelProtocol protocol) {
        this.protocol = protocol;
        this.usage = new UsageReader(protocol);
    }

    /** @param type its content type */
    public static Spoken of(ModelProtocol protocol, int status, String type, String body) {
        var read = new SpokenAnswers(protocol);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        if (type.startsWith("text/event-stream")) {
            read.events(Buffer.buffer(bytes));
        } else {
            read.whole(bytes);
        }
        var used = read.usage.complete() ? read.usage.usage(0) : null;
        return new Spoken(
                status,
                read.text.toString(),
                read.tools.values().stream()
                        .map(tool -> tool.toString().strip())
                        .toList(),
                used);
    }

    private void whole(byte[] bytes) {
        JsonNode answer;
        try {
            answer = Json.parse(bytes);
        } catch (IOException noJson) {
            text.append(new String(bytes, StandardCharsets.UTF_8));
            return;
        }
        if (answer.isArray()) { // a stream of Google's that was not asked for as events
            answer.forEach(this::event);
            return;
        }
        usage.whole(answer.has("usageMetadata") ? answer.get("usageMetadata") : answer.get("usage"), 0);
        said(answer);
    }

    private void event(JsonNode event) {
        usage.event(event);
        said(event);
    }

    private void said(JsonNode answer) {
        if (answer.path("error").isObject()) {
            text.append(answer.path("error").path("message").asText());
            return;
        }
        switch (protocol) {
            case OPENAI -> openai(answer);
            case ANTHROPIC -> anthropic(answer);
            case GOOGLE ->
                answer.path("candidates")
                        .forEach(candidate ->
                                candidate.path("content").path("parts").forEach(this::googles));
        }
    }

    private void openai(JsonNode answer) {
        for (var choice : answer.path("choices")) {
            var message = choice.has("delta") ? choice.path("delta") : choice.path("message");
            text.append(message.path("content").asText(""));
            int nth = 0;
            for (var call : message.path("tool_calls")) {
                String at = call.has("index") ? call.path("index").asText() : String.valueOf(nth);
                tool(
                        at,
                        call.at("/function/name").asText(""),
                        call.at("/function/arguments").asText(""));
                nth++;
            }
        }
        switch (answer.path("type").asText("")) {
            case "response.output_text.delta" ->
                text.append(answer.path("delta").asText(""));
            case "response.output_item.done" -> item(answer.path("item"), false);
            default -> answer.path("output").forEach(item -> item(item, true));
        }
    }

    /** Of a response; its words have come in pieces already where it is streamed. */
    private void item(JsonNode item, boolean words) {
        if (item.path("type").asText("").equals("function_call")) {
            tool(
                    "call" + tools.size(),
                    item.path("name").asText(""),
                    item.path("arguments").asText(""));
        } else if (words) {
            item.path("content").forEach(part -> text.append(part.path("text").asText("")));
        }
    }

    private void anthropic(JsonNode answer) {
        String at = answer.path("index").asText();
        switch (answer.path("type").asText("")) {
            case "content_block_start" -> block(at, answer.path("content_block"), "");
            case "content_block_delta" -> {
                text.append(answer.at("/delta/text").asText(""));
                String arguments = answer.at("/delta/partial_json").asText("");
                if (!arguments.isEmpty()) {
                    tool(at, "", arguments);
                }
            }
            default -> {
                int nth = 0;
                for (var block : answer.path("content")) {
                    block(String.valueOf(nth++), block, block.path("input").toString());
                }
            }
        }
    }

    private void block(String at, JsonNode block, String input) {
        text.append(block.path("text").asText(""));
        if (block.path("type").asText("").equals("tool_use")) {
            tool(at, block.path("name").asText(""), input);
        }
    }

    private void googles(JsonNode part) {
        if (!part.path("thought").asBoolean()) {
            text.append(part.path("text").asText(""));
        }
        var call = part.path("functionCall");
        if (call.isObject()) {
            tool(
                    "call" + tools.size(),
                    call.path("name").asText(""),
                    call.path("args").toString());
        }
    }

    private void tool(String at, String name, String arguments) {
        var tool = tools.computeIfAbsent(at, first -> new StringBuilder());
        if (!name.isEmpty()) {
            tool.append(name).append(' ');
        }
        tool.append(arguments);
    }

    private void events(Buffer stream) {
        List<Buffer> events = new ArrayList<>();
        var splitter = new SseSplitter(EVENT_MAX_BYTES);
        splitter.feed(stream, events::add);
        events.add(splitter.rest());
        for (var event : events) {
            var data = EventData.of(event);
            if (data != null) {
                event(data);
            }
        }
    }
}
