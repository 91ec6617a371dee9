package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/** Shows the card, which does not change while the agent lives; whoever has it already is told so. */
final class CardEndpoint {

    private final Supplier<ObjectNode> maker;
    private Buffer card = Buffer.buffer(); // made when first asked for: before listening there is no port
    private String tag = "";

    CardEndpoint(Supplier<ObjectNode> maker) {
        this.maker = maker;
    }

    void show(HttpServerRequest request) {
        if (card.length() == 0) {
            card = Json.write(maker.get());
            tag = tagOf(card);
        }
        var response = request.response().putHeader("Cache-Control", "no-cache").putHeader("ETag", tag);
        if (tag.equals(request.getHeader("If-None-Match"))) {
            response.setStatusCode(304).end();
        } else {
            HttpAnswers.answer(response, 200, card);
        }
    }

    private static String tagOf(Buffer content) {
        var checksum = new CRC32C();
        checksum.update(content.getBytes());
        return "\"" + Long.toHexString(checksum.getValue()) + "\"";
    }
}
