package ai.molecule.proxy.models.translation;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.models.translation.NeutralEvent.ArgumentsPiece;
import ai.molecule.proxy.models.translation.NeutralEvent.Begin;
import ai.molecule.proxy.models.translation.NeutralEvent.CallBegin;
import ai.molecule.proxy.models.translation.NeutralEvent.End;
import ai.molecule.proxy.models.translation.NeutralEvent.TextPiece;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Consumer;

/** Events of a message. Its blocks come one after the other. */
final class MessagesEventReader implements EventReader {

    private String reason = "";
    private String argumentsUnsaid = "";

    @Override
    public void read(JsonNode data, Consumer<NeutralEvent> out) {
        switch (data.path("type").asText("")) {
            case "message_start" ->
                out.accept(new Begin(
                        data.path("message").path("id").asText(""),
                        data.path("message").path("model").asText("")));
            case "content_block_start" -> begins(data.path("content_block"), out);
            case "content_block_delta" -> piece(data.path("delta"), out);
            case "content_block_stop" -> says(argumentsUnsaid, out);
            case "message_delta" ->
                reason = data.path("delta").path("stop_reason").asText(reason);
            case "message_stop" -> out.accept(new End(MessagesAnswers.stop(reason)));
            case "error" ->
                throw NotTranslated.answer("failed in the middle of its answer: "
                        + data.path("error").path("message").asText("it does not say why"));
            default -> {} // signs of life, and what is yet to come
        }
    }

    private void begins(JsonNode block, Consumer<NeutralEvent> out) {
        switch (block.path("type").asText("")) {
            case "tool_use" -> {
                out.accept(new CallBegin(
                        block.path("id").asText(""), block.path("name").asText("")));
                argumentsUnsaid = block.path("input").isObject() ? Json.text(block.path("input")) : "{}";
            }
            case "text" -> text(block, out);
            default -> {} // thoughts
        }
    }

    private void piece(JsonNode delta, Consumer<NeutralEvent> out) {
        switch (delta.path("type").asText("")) {
            case "text_delta" -> text(delta, out);
            case "input_json_delta" -> says(delta.path("partial_json").asText(""), out);
            default -> {} // thoughts and their signature
        }
    }

    /** A call without arguments says none in pieces, and what began it has an empty object. */
    private void says(String json, Consumer<NeutralEvent> out) {
        if (!json.isEmpty()) {
            argumentsUnsaid = "";
            out.accept(new ArgumentsPiece(json));
        }
    }

    private static void text(JsonNode piece, Consumer<NeutralEvent> out) {
        String text = piece.path("text").asText("");
        if (!text.isEmpty()) {
            out.accept(new TextPiece(text));
        }
    }
}
