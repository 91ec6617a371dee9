package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Shows the card; whoever has it already is told so. Making it may read files, so it is kept until it is told anew. */
final class CardEndpoint {

    private final Supplier<ObjectNode> maker;
    private final CardForm otherwise;
    private volatile @Nullable Shown shown; // made when first asked for: before listening there is no port

    private record Shown(Map<CardForm, Buffer> cards) {

        static Shown of(ObjectNode made) {
            Map<CardForm, Buffer> cards = new EnumMap<>(CardForm.class);
            for (CardForm form : CardForm.values()) {
                cards.put(form, Json.write(AgentCard.in(form, made)));
            }
            return new Shown(cards);
        }
    }

    /** @param otherwise what is shown to whoever names no version */
    CardEndpoint(Supplier<ObjectNode> maker, CardForm otherwise) {
        this.maker = maker;
        this.otherwise = otherwise;
    }

    void show(HttpServerRequest request) {
        Shown now = shown;
        if (now == null) {
            now = Shown.of(maker.get());
            shown = now;
        }
        Buffer card = Objects.requireNonNull(now.cards().get(CardForm.of(request, otherwise)));
        String tag = tagOf(card);
        var response = request.response()
                .putHeader("Cache-Control", "max-age=30")
                .putHeader("Vary", ProtocolVersion.PARAMETER)
                .putHeader("ETag", tag);
        if (tag.equals(request.getHeader("If-None-Match"))) {
            response.setStatusCode(304).end();
        } else {
            HttpAnswers.answer(response, 200, card);
        }
    }

    /** From any thread. */
    void showAnew(ObjectNode card) {
        shown = Shown.of(card);
    }

    private static String tagOf(Buffer content) {
        var checksum = new CRC32C();
        checksum.update(content.getBytes());
        return "\"" + Long.toHexString(checksum.getValue()) + "\"";
    }
}
