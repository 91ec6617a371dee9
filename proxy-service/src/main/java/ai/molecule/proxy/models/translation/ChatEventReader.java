package ai.molecule.proxy.models.translation;

import ai.molecule.proxy.models.translation.NeutralEvent.ArgumentsPiece;
import ai.molecule.proxy.models.translation.NeutralEvent.Begin;
import ai.molecule.proxy.models.translation.NeutralEvent.CallBegin;
import ai.molecule.proxy.models.translation.NeutralEvent.End;
import ai.molecule.proxy.models.translation.NeutralEvent.TextPiece;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Chunks of a chat completion. Those of several calls may be mixed: the first call's pass at once, those of the others wait for the
 * end. The usage comes behind the reason to stop, so the end is told at the end.
 */
final class ChatEventReader implements EventReader {

    private static final class Waiting {
        private final int index;
        private final String id;
        private final String name;
        private final StringBuilder arguments = new StringBuilder();

        private Waiting(int index, String id, String name) {
            this.index = index;
            this.id = id;
            this.name = name;
        }
    }

    /** About what a call takes beside its arguments. */
    private static final int CALL_BYTES = 200;

    private boolean begun;
    private boolean calls;
    private boolean refused;
    private int passing = -1;
    private String passingId = "";
    private final List<Waiting> waiting = new ArrayList<>();
    private long held;
    private String reason = "";

    @Override
    public void read(JsonNode data, Consumer<NeutralEvent> out) {
        if (data.hasNonNull("error")) {
            throw NotTranslated.answer("failed in the middle of its answer: "
                    + data.path("error").path("message").asText("it does not say why"));
        }
        if (!begun) {
            begun = true;
            out.accept(new Begin(data.path("id").asText(""), data.path("model").asText("")));
        }
        var choice = data.path("choices").path(0);
        var delta = choice.path("delta");
        for (String member : new String[] {"content", "refusal"}) {
            String text = delta.path(member).asText("");
            refused |= member.equals("refusal") && !text.isEmpty();
            if (!text.isEmpty()) {
                out.accept(new TextPiece(text));
            }
        }
        int nth = 0;
        for (var call : delta.path("tool_calls")) {
            call(call, call.path("index").asInt(nth++), out);
        }
        reason = choice.path("finish_reason").asText(reason);
    }

    /** Some providers give all calls one index: another id begins another call. */
    private void call(JsonNode call, int index, Consumer<NeutralEvent> out) {
        calls = true;
        String id = call.path("id").asText("");
        String name = call.path("function").path("name").asText("");
        String arguments = call.path("function").path("arguments").asText("");
        if (passing < 0) {
            passing = index;
            passingId = id;
            out.accept(new CallBegin(id, name));
        }
        var behind = waiting.stream().filter(one -> one.index == index).reduce((first, second) -> second);
        boolean another =
                !id.isEmpty() && !id.equals(behind.map(one -> one.id).orElse(index == passing ? passingId : ""));
        if (another || (behind.isEmpty() && index != passing)) {
            waiting.add(new Waiting(index, id, name));
            behind = Optional.of(waiting.getLast());
        }
        if (behind.isPresent()) {
            behind.get().arguments.append(arguments);
            held += arguments.length() + CALL_BYTES;
        } else if (!arguments.isEmpty()) {
            out.accept(new ArgumentsPiece(arguments));
        }
    }

    @Override
    public long heldBytes() {
        return held;
    }

    @Override
    public void ends(Consumer<NeutralEvent> out) {
        if (reason.isEmpty()) {
            return;
        }
        for (var call : waiting) {
            out.accept(new CallBegin(call.id, call.name));
            out.accept(new ArgumentsPiece(call.arguments.toString()));
        }
        waiting.clear();
        out.accept(new End(refused ? NeutralAnswer.Stop.REFUSED : ChatAnswers.stop(reason, calls)));
        reason = "";
    }
}
