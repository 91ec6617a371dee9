package ai.molecule.proxy.models.translation;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.models.translation.NeutralEvent.ArgumentsPiece;
import ai.molecule.proxy.models.translation.NeutralEvent.Begin;
import ai.molecule.proxy.models.translation.NeutralEvent.CallBegin;
import ai.molecule.proxy.models.translation.NeutralEvent.End;
import ai.molecule.proxy.models.translation.NeutralEvent.TextPiece;
import ai.molecule.proxy.models.translation.NeutralRequest.ToolCall;
import ai.molecule.proxy.models.translation.SpokenProtocol.Telling;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events of a response. The end of each item, and of all, says again what came in pieces, so that is kept. */
final class ResponsesEventWriter implements EventWriter {

    private final Telling telling;
    private final List<ObjectNode> items = new ArrayList<>();
    private final StringBuilder piece = new StringBuilder();
    private Begin begin = new Begin("", "");
    private boolean text;
    private @Nullable CallBegin call;
    private long held;
    private int sequence;

    ResponsesEventWriter(Telling telling) {
        this.telling = telling;
    }

    @Override
    public long heldBytes() {
        return held;
    }

    @Override
    public void write(NeutralEvent event, StringBuilder out) {
        switch (event) {
            case Begin begins -> {
                begin = begins;
                for (String type : List.of("response.created", "response.in_progress")) {
                    say(type, Json.object().set("response", response()), out);
                }
            }
            case TextPiece said -> {
                if (!text) {
                    textBegins(out);
                }
                keep(said.text());
                var delta = within().put("content_index", 0).put("delta", said.text());
                delta.putArray("logprobs");
                say("response.output_text.delta", delta, out);
            }
            case CallBegin begins -> {
                closes(out);
                call = begins;
                item(
                        "response.output_item.added",
                        ResponsesAnswers.call(itemId(), new ToolCall(begins.id(), begins.name(), ""), "in_progress"),
                        out);
            }
            case ArgumentsPiece said -> {
                keep(said.json());
                say("response.function_call_arguments.delta", within().put("delta", said.json()), out);
            }
            case End end -> {
                closes(out);
                var response = response();
                ResponsesAnswers.closes(
                        response, items, end.stop(), telling.usage().get());
                say(
                        "response." + response.path("status").asText(""),
                        Json.object().set("response", response),
                        out);
            }
        }
    }

    private void textBegins(StringBuilder out) {
        closes(out);
        text = true;
        var message = ResponsesAnswers.message(itemId(), "", "in_progress");
        message.putArray("content");
        item("response.output_item.added", message, out);
        var part = within().put("content_index", 0);
        part.set("part", ResponsesAnswers.text(""));
        say("response.content_part.added", part, out);
    }

    /** The item that is open, if one is. */
    private void closes(StringBuilder out) {
        String whole = piece.toString();
        piece.setLength(0);
        var called = call;
        if (text) {
            var done = within().put("content_index", 0).put("text", whole);
            done.putArray("logprobs");
            say("response.output_text.done", done, out);
            var part = within().put("content_index", 0);
            part.set("part", ResponsesAnswers.text(whole));
            say("response.content_part.done", part, out);
            done(ResponsesAnswers.message(itemId(), whole, "completed"), out);
        } else if (called != null) {
            say(
                    "response.function_call_arguments.done",
                    within().put("name", called.name()).put("arguments", whole),
                    out);
            done(ResponsesAnswers.call(itemId(), new ToolCall(called.id(), called.name(), whole), "completed"), out);
        }
        text = false;
        call = null;
    }

    private void done(ObjectNode item, StringBuilder out) {
        item("response.output_item.done", item, out);
        items.add(item);
    }

    private void item(String type, ObjectNode item, StringBuilder out) {
        var event = Json.object().put("output_index", items.size());
        event.set("item", item);
        say(type, event, out);
    }

    private ObjectNode within() {
        return Json.object().put("item_id", itemId()).put("output_index", items.size());
    }

    private String itemId() {
        return ResponsesAnswers.itemId(text ? "msg" : "fc", begin.id(), items.size());
    }

    private ObjectNode response() {
        return ResponsesAnswers.response(begin.id(), begin.model(), telling.atSeconds());
    }

    private void keep(String said) {
        piece.append(said);
        held += said.length();
    }

    private void say(String type, ObjectNode data, StringBuilder out) {
        EventWriter.named(
                Json.object()
                        .put("type", type)
                        .put("sequence_number", sequence++)
                        .setAll(data),
                out);
    }
}
