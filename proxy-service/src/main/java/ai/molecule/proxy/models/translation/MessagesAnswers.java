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

/** Messages that come whole. */
final class MessagesAnswers {

    private MessagesAnswers() {}

    static NeutralAnswer read(JsonNode body) {
        if (!body.path("content").isArray()) {
            throw NotTranslated.answer("answered with what is no message");
        }
        List<Part> parts = new ArrayList<>();
        for (var block : body.path("content")) {
            switch (block.path("type").asText("")) {
                case "text" -> parts.add(new Text(block.path("text").asText("")));
                case "tool_use" ->
                    parts.add(new ToolCall(
                            block.path("id").asText(""),
                            block.path("name").asText(""),
                            Json.text(block.path("input").isObject() ? block.path("input") : Json.object())));
                default -> {} // thoughts
            }
        }
        return new NeutralAnswer(
                body.path("id").asText(""),
                body.path("model").asText(""),
                List.copyOf(parts),
                stop(body.path("stop_reason").asText("")));
    }

    static Stop stop(String reason) {
        return switch (reason) {
            case "max_tokens", "model_context_window_exceeded" -> Stop.LENGTH;
            case "tool_use" -> Stop.CALLS_TOOLS;
            case "refusal" -> Stop.REFUSED;
            default -> Stop.DONE;
        };
    }

    static String reason(Stop stop) {
        return switch (stop) {
            case DONE -> "end_turn";
            case LENGTH -> "max_tokens";
            case CALLS_TOOLS -> "tool_use";
            case REFUSED -> "refusal";
        };
    }

    static ObjectNode write(NeutralAnswer answer, Telling telling) {
        var body = Json.object()
                .put("id", answer.id())
                .put("type", "message")
                .put("role", "assistant")
                .put("model", answer.model());
        var content = body.putArray("content");
        for (var part : answer.parts()) {
            if (part instanceof Text text) {
                content.addObject().put("type", "text").put("text", text.text());
            } else if (part instanceof ToolCall call) {
                write(
                        call,
                        content.addObject(),
                        NotTranslated.object(call.arguments())
                                .orElseThrow(() -> NotTranslated.answer("had its model call " + call.name()
                                        + " with arguments that are no JSON object")));
            }
        }
        body.put("stop_reason", reason(answer.stop())).putNull("stop_sequence");
        body.set("usage", usage(telling.usage().get()));
        return body;
    }

    static void write(ToolCall call, ObjectNode block, ObjectNode input) {
        block.put("type", "tool_use")
                .put("id", MessagesRequests.id(call.id()))
                .put("name", call.name())
                .set("input", input);
    }

    static ObjectNode usage(ModelUsage usage) {
        return Json.object()
                .put("input_tokens", usage.in())
                .put("cache_creation_input_tokens", usage.cacheWrite())
                .put("cache_read_input_tokens", usage.cacheRead())
                .put("output_tokens", usage.out());
    }
}
