package ai.molecule.proxy.models.translation;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.models.translation.NeutralEvent.ArgumentsPiece;
import ai.molecule.proxy.models.translation.NeutralEvent.Begin;
import ai.molecule.proxy.models.translation.NeutralEvent.CallBegin;
import ai.molecule.proxy.models.translation.NeutralEvent.End;
import ai.molecule.proxy.models.translation.NeutralEvent.TextPiece;
import ai.molecule.proxy.models.translation.SpokenProtocol.Telling;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Chunks of a chat completion. */
final class ChatEventWriter implements EventWriter {

    private final Telling telling;
    private String id = "";
    private String model = "";
    private int call = -1;

    ChatEventWriter(Telling telling) {
        this.telling = telling;
    }

    @Override
    public void write(NeutralEvent event, StringBuilder out) {
        switch (event) {
            case Begin begin -> {
                id = begin.id();
                model = begin.model();
                delta(Json.object().put("role", "assistant").put("content", ""), null, out);
            }
            case TextPiece piece -> delta(Json.object().put("content", piece.text()), null, out);
            case CallBegin begin -> {
                call++;
                var delta = Json.object();
                delta.putArray("tool_calls")
                        .addObject()
                        .put("index", call)
                        .put("id", begin.id())
                        .put("type", "function")
                        .putObject("function")
                        .put("name", begin.name())
                        .put("arguments", "");
                delta(delta, null, out);
            }
            case ArgumentsPiece piece -> {
                var delta = Json.object();
                delta.putArray("tool_calls")
                        .addObject()
                        .put("index", call)
                        .putObject("function")
                        .put("arguments", piece.json());
                delta(delta, null, out);
            }
            case End end -> {
                delta(Json.object(), ChatAnswers.reason(end.stop()), out);
                if (telling.tellsUsage()) {
                    var chunk = chunk();
                    chunk.putArray("choices");
                    chunk.set("usage", ChatAnswers.usage(telling.usage().get()));
                    EventWriter.unnamed(chunk, out);
                }
                out.append("data: [DONE]\n\n");
            }
        }
    }

    private void delta(ObjectNode delta, @Nullable String reason, StringBuilder out) {
        var chunk = chunk();
        var choice = chunk.putArray("choices").addObject().put("index", 0);
        choice.set("delta", delta);
        choice.put("finish_reason", reason);
        EventWriter.unnamed(chunk, out);
    }

    private ObjectNode chunk() {
        return Json.object()
                .put("id", id)
                .put("object", "chat.completion.chunk")
                .put("created", telling.atSeconds())
                .put("model", model);
    }
}
