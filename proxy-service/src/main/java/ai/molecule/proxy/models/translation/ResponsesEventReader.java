package ai.molecule.proxy.models.translation;

import ai.molecule.proxy.models.translation.NeutralEvent.ArgumentsPiece;
import ai.molecule.proxy.models.translation.NeutralEvent.Begin;
import ai.molecule.proxy.models.translation.NeutralEvent.CallBegin;
import ai.molecule.proxy.models.translation.NeutralEvent.End;
import ai.molecule.proxy.models.translation.NeutralEvent.TextPiece;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Consumer;

/** Events of a response. Its items come one after the other. */
final class ResponsesEventReader implements EventReader {

    private boolean calls;
    private boolean refused;
    private boolean argumentsSaid;

    @Override
    public void read(JsonNode data, Consumer<NeutralEvent> out) {
        var response = data.path("response");
        switch (data.path("type").asText("")) {
            case "response.created" ->
                out.accept(new Begin(
                        response.path("id").asText(""), response.path("model").asText("")));
            case "response.output_item.added" -> begins(data.path("item"), out);
            case "response.output_text.delta" -> text(data, out);
            case "response.refusal.delta" -> {
                refused = true;
                text(data, out);
            }
            case "response.function_call_arguments.delta" -> arguments(data.path("delta"), out);
            case "response.function_call_arguments.done" -> {
                if (!argumentsSaid) {
                    arguments(data.path("arguments"), out);
                }
            }
            case "response.completed", "response.incomplete" ->
                out.accept(new End(refused ? NeutralAnswer.Stop.REFUSED : ResponsesAnswers.stop(response, calls)));
            case "response.failed" -> ResponsesAnswers.requireNoFailure(response);
            case "error" ->
                throw NotTranslated.answer("failed in the middle of its answer: "
                        + data.path("message")
                                .asText(data.path("error").path("message").asText("it does not say why")));
            default -> {} // ends of what came in pieces, thoughts, and what is yet to come
        }
    }

    private void begins(JsonNode item, Consumer<NeutralEvent> out) {
        if (item.path("type").asText("").equals("function_call")) {
            calls = true;
            argumentsSaid = false;
            out.accept(new CallBegin(
                    item.path("call_id").asText(""), item.path("name").asText("")));
            arguments(item.path("arguments"), out);
        }
    }

    private static void text(JsonNode data, Consumer<NeutralEvent> out) {
        String text = data.path("delta").asText("");
        if (!text.isEmpty()) {
            out.accept(new TextPiece(text));
        }
    }

    private void arguments(JsonNode piece, Consumer<NeutralEvent> out) {
        if (!piece.asText("").isEmpty()) {
            argumentsSaid = true;
            out.accept(new ArgumentsPiece(piece.asText("")));
        }
    }
}
