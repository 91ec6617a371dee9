package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Shows the card; whoever has it already is told so. Making it may read files, so it is kept until it is told anew. */
final class CardEndpoint {

    private final Supplier<ObjectNode> maker;
    private volatile @Nullable Shown shown; // made when first asked for: before listening there is no port

    private record Shown(Buffer card, String tag) {

        static Shown of(ObjectNode made) {
            Buffer card = Json.write(made);
            return new Shown(card, tagOf(card));
        }
    }

    CardEndpoint(Supplier<ObjectNode> maker) {
        this.maker = maker;
    }

    void show(HttpServerRequest request) {
        Shown now = shown;
        if (now == null) {
            now = Shown.of(maker.get());
            shown = now;
        }
        var response = request.response().putHeader("Cache-Control", "no-cache").putHeader("ETag", now.tag());
        if (now.tag().equals(request.getHeader("If-None-Match"))) {
            response.setStatusCode(304).end();
        } else {
            HttpAnswers.answer(response, 200, now.card());
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
