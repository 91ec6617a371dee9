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

/** Responses that come whole. */
final class ResponsesAnswers {

    private ResponsesAnswers() {}

    static NeutralAnswer read(JsonNode body) {
        if (!body.path("output").isArray()) {
            throw NotTranslated.answer("answered with what is no response");
        }
        requireNoFailure(body);
        List<Part> parts = new ArrayList<>();
        boolean refused = false;
        for (var item : body.path("output")) {
            switch (item.path("type").asText("")) {
                case "message" -> {
                    for (var part : item.path("content")) {
                        refused |= part.has("refusal");
                        parts.add(new Text(part.path(part.has("refusal") ? "refusal" : "text")
                                .asText("")));
                    }
                }
                case "function_call" ->
                    parts.add(new ToolCall(
                            item.path("call_id").asText(""),
                            item.path("name").asText(""),
                            item.path("arguments").asText("")));
                default -> {} // thoughts
            }
        }
        boolean calls = parts.stream().anyMatch(ToolCall.class::isInstance);
        return new NeutralAnswer(
                body.path("id").asText(""),
                body.path("model").asText(""),
                List.copyOf(parts),
                refused ? Stop.REFUSED : stop(body, calls));
    }

    static void requireNoFailure(JsonNode response) {
        if (response.path("status").asText("").equals("failed")) {
            throw NotTranslated.answer(
                    "failed: " + response.path("error").path("message").asText("it does not say why"));
        }
    }

    static Stop stop(JsonNode response, boolean calls) {
        if (response.path("status").asText("").equals("incomplete")) {
            String reason = response.path("incomplete_details").path("reason").asText("");
            return reason.equals("content_filter") ? Stop.REFUSED : Stop.LENGTH;
        }
        return calls ? Stop.CALLS_TOOLS : Stop.DONE;
    }

    static ObjectNode write(NeutralAnswer answer, Telling telling) {
        List<ObjectNode> items = new ArrayList<>();
        for (var part : answer.parts()) {
            if (part instanceof Text text) {
                items.add(message(itemId("msg", answer.id(), items.size()), text.text(), "completed"));
            } else if (part instanceof ToolCall call) {
                items.add(call(itemId("fc", answer.id(), items.size()), call, "completed"));
            }
        }
        var body = response(answer.id(), answer.model(), telling.atSeconds());
        closes(body, items, answer.stop(), telling.usage().get());
        return body;
    }

    /** One that has just begun. */
    static ObjectNode response(String id, String model, long atSeconds) {
        var body = Json.object()
                .put("id", id)
                .put("object", "response")
                .put("created_at", atSeconds)
                .put("status", "in_progress")
                .put("model", model);
        body.putArray("output");
        body.putNull("error").putNull("incomplete_details").putNull("instructions");
        body.putObject("metadata");
        body.put("parallel_tool_calls", true).put("tool_choice", "auto");
        body.putArray("tools");
        return body.putNull("temperature").putNull("top_p").putNull("usage");
    }

    static void closes(ObjectNode response, List<ObjectNode> items, Stop stop, ModelUsage usage) {
        boolean whole = stop == Stop.DONE || stop == Stop.CALLS_TOOLS;
        response.put("status", whole ? "completed" : "incomplete");
        if (!whole) {
            response.putObject("incomplete_details")
                    .put("reason", stop == Stop.LENGTH ? "max_output_tokens" : "content_filter");
        }
        items.forEach(response.putArray("output")::add);
        response.set("usage", usage(usage));
    }

    /** The same at every time, and no other item's. */
    static String itemId(String kind, String answerId, int nth) {
        return kind + "_" + answerId + "_" + nth;
    }

    static ObjectNode message(String id, String text, String status) {
        var item = Json.object()
                .put("id", id)
                .put("type", "message")
                .put("status", status)
                .put("role", "assistant");
        item.putArray("content").add(text(text));
        return item;
    }

    static ObjectNode text(String text) {
        var part = Json.object().put("type", "output_text").put("text", text);
        part.putArray("annotations");
        part.putArray("logprobs");
        return part;
    }

    static ObjectNode call(String id, ToolCall call, String status) {
        return Json.object()
                .put("id", id)
                .put("type", "function_call")
                .put("status", status)
                .put("call_id", call.id())
                .put("name", call.name())
                .put("arguments", call.arguments());
    }

    private static ObjectNode usage(ModelUsage usage) {
        var out = Json.object().put("input_tokens", usage.prompt());
        ChatAnswers.withCaches(out.putObject("input_tokens_details"), usage);
        out.put("output_tokens", usage.out());
        out.putObject("output_tokens_details").put("reasoning_tokens", usage.reasoning());
        return out.put("total_tokens", usage.prompt() + usage.out());
    }
}
