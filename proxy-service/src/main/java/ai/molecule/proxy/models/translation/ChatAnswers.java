package ai.molecule.proxy.models.translation;

import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.proxy.models.translation.NeutralAnswer.Stop;
import ai.molecule.proxy.models.translation.NeutralRequest.Part;
import ai.molecule.proxy.models.translation.NeutralRequest.Text;
import ai.molecule.proxy.models.translation.NeutralRequest.ToolCall;
import ai.molecule.proxy.models.translation.SpokenProtocol.Telling;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Chat completions that come whole. */
final class ChatAnswers {

    private ChatAnswers() {}

    static NeutralAnswer read(JsonNode body) {
        var choice = body.path("choices").path(0);
        var message = choice.path("message");
        if (!message.isObject()) {
            throw NotTranslated.answer("answered with what is no chat completion");
        }
        List<Part> parts = new ArrayList<>();
        String refusal = message.path("refusal").asText("");
        for (String text : new String[] {text(message.path("content")), refusal}) {
            if (!text.isEmpty()) {
                parts.add(new Text(text));
            }
        }
        for (var call : message.path("tool_calls")) {
            var function = call.path("function");
            parts.add(new ToolCall(
                    call.path("id").asText(""),
                    function.path("name").asText(""),
                    function.path("arguments").asText("")));
        }
        var stop = refusal.isEmpty()
                ? stop(
                        choice.path("finish_reason").asText("stop"),
                        !message.path("tool_calls").isEmpty())
                : Stop.REFUSED;
        return new NeutralAnswer(body.path("id").asText(""), body.path("model").asText(""), List.copyOf(parts), stop);
    }

    /** Some providers write it in parts, as it is asked. */
    private static String text(JsonNode content) {
        if (content.isTextual()) {
            return content.textValue();
        }
        var text = new StringBuilder();
        content.forEach(part -> text.append(part.path("text").asText("")));
        return text.toString();
    }

    /** Some providers call tools and say that they stop. */
    static Stop stop(String reason, boolean calls) {
        return switch (reason) {
            case "length" -> Stop.LENGTH;
            case "content_filter" -> Stop.REFUSED;
            default -> calls ? Stop.CALLS_TOOLS : Stop.DONE;
        };
    }

    static String reason(Stop stop) {
        return switch (stop) {
            case DONE -> "stop";
            case LENGTH -> "length";
            case CALLS_TOOLS -> "tool_calls";
            case REFUSED -> "content_filter";
        };
    }

    static ObjectNode write(NeutralAnswer answer, Telling telling) {
        var body = Json.object()
                .put("id", answer.id())
                .put("object", "chat.completion")
                .put("created", telling.atSeconds())
                .put("model", answer.model());
        var choice = body.putArray("choices").addObject().put("index", 0);
        var message = choice.putObject("message").put("role", "assistant");
        var text = new StringBuilder();
        List<ToolCall> calls = new ArrayList<>();
        for (var part : answer.parts()) {
            if (part instanceof Text piece) {
                text.append(piece.text());
            } else if (part instanceof ToolCall call) {
                calls.add(call);
            }
        }
        message.put("content", text.isEmpty() ? null : text.toString()).putNull("refusal");
        if (!calls.isEmpty()) {
            var list = message.putArray("tool_calls");
            calls.forEach(call -> write(call, list.addObject()));
        }
        choice.putNull("logprobs").put("finish_reason", reason(answer.stop()));
        body.set("usage", usage(telling.usage().get()));
        return body;
    }

    static void write(ToolCall call, ObjectNode out) {
        out.put("id", call.id())
                .put("type", "function")
                .putObject("function")
                .put("name", call.name())
                .put("arguments", call.arguments());
    }

    /** Both protocols of OpenAI call these alike; what was put into a cache they tell since such tokens have a price of their own. */
    static void withCaches(ObjectNode details, ModelUsage usage) {
        details.put("cached_tokens", usage.cacheRead());
        if (usage.cacheWrite() > 0) {
            details.put("cache_write_tokens", usage.cacheWrite());
        }
    }

    static ObjectNode usage(ModelUsage usage) {
        var out = Json.object()
                .put("prompt_tokens", usage.prompt())
                .put("completion_tokens", usage.out())
                .put("total_tokens", usage.prompt() + usage.out());
        withCaches(out.putObject("prompt_tokens_details"), usage);
        out.putObject("completion_tokens_details").put("reasoning_tokens", usage.reasoning());
        return out;
    }
}
