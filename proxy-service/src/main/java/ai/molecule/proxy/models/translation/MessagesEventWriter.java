package ai.molecule.proxy.models.translation;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.models.translation.NeutralEvent.ArgumentsPiece;
import ai.molecule.proxy.models.translation.NeutralEvent.Begin;
import ai.molecule.proxy.models.translation.NeutralEvent.CallBegin;
import ai.molecule.proxy.models.translation.NeutralEvent.End;
import ai.molecule.proxy.models.translation.NeutralEvent.TextPiece;
import ai.molecule.proxy.models.translation.SpokenProtocol.Telling;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Events of a message. */
final class MessagesEventWriter implements EventWriter {

    private enum Block {
        NONE,
        TEXT,
        CALL
    }

    private final Telling telling;
    private Block open = Block.NONE;
    private int index = -1;

    MessagesEventWriter(Telling telling) {
        this.telling = telling;
    }

    @Override
    public void write(NeutralEvent event, StringBuilder out) {
        switch (event) {
            case Begin begin -> begins(begin, out);
            case TextPiece piece -> {
                if (open != Block.TEXT) {
                    opens(Block.TEXT, Json.object().put("type", "text").put("text", ""), out);
                }
                delta(Json.object().put("type", "text_delta").put("text", piece.text()), out);
            }
            case CallBegin begin -> {
                var block = Json.object()
                        .put("type", "tool_use")
                        .put("id", MessagesRequests.id(begin.id()))
                        .put("name", begin.name());
                block.putObject("input");
                opens(Block.CALL, block, out);
            }
            case ArgumentsPiece piece ->
                delta(Json.object().put("type", "input_json_delta").put("partial_json", piece.json()), out);
            case End end -> ends(end, out);
        }
    }

    private void begins(Begin begin, StringBuilder out) {
        var event = Json.object().put("type", "message_start");
        var message = event.putObject("message")
                .put("id", begin.id())
                .put("type", "message")
                .put("role", "assistant")
                .put("model", begin.model());
        message.putArray("content");
        message.putNull("stop_reason").putNull("stop_sequence");
        message.set("usage", MessagesAnswers.usage(telling.usage().get()));
        EventWriter.named(event, out);
    }

    private void opens(Block block, ObjectNode content, StringBuilder out) {
        closes(out);
        open = block;
        index++;
        var event = Json.object().put("type", "content_block_start").put("index", index);
        event.set("content_block", content);
        EventWriter.named(event, out);
    }

    private void delta(ObjectNode delta, StringBuilder out) {
        var event = Json.object().put("type", "content_block_delta").put("index", index);
        event.set("delta", delta);
        EventWriter.named(event, out);
    }

    private void closes(StringBuilder out) {
        if (open != Block.NONE) {
            open = Block.NONE;
            EventWriter.named(Json.object().put("type", "content_block_stop").put("index", index), out);
        }
    }

    private void ends(End end, StringBuilder out) {
        closes(out);
        var event = Json.object().put("type", "message_delta");
        event.putObject("delta")
                .put("stop_reason", MessagesAnswers.reason(end.stop()))
                .putNull("stop_sequence");
        event.set("usage", MessagesAnswers.usage(telling.usage().get()));
        EventWriter.named(event, out);
        EventWriter.named(Json.object().put("type", "message_stop"), out);
    }
}
