package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Refuses a path or query that cannot be decoded: a {@code %} without two hexadecimal digits, and escapes that are no UTF-8. Without
 * it each place that decodes would fail in a way of its own.
 */
public final class WellFormedTarget implements Handler<RoutingContext> {

    @Override
    public void handle(RoutingContext ctx) {
        String target = ctx.request().uri();
        if (target.indexOf('%') < 0 || isWellFormed(target)) {
            ctx.next();
        } else {
            ctx.fail(ApiError.invalid("bad request"));
        }
    }

    private static boolean isWellFormed(String target) {
        var decoded = ByteBuffer.allocate(target.length());
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c != '%') {
                decoded.put((byte) (c < 0x80 ? c : '?')); // unescaped and past ASCII: taken as it comes
                continue;
            }
            int high = i + 2 < target.length() ? Character.digit(target.charAt(i + 1), 16) : -1;
            int low = high < 0 ? -1 : Character.digit(target.charAt(i + 2), 16);
            if (low < 0) {
                return false;
            }
            decoded.put((byte) (high << 4 | low));
            i += 2;
        }
        return isUtf8(decoded.flip());
    }

    private static boolean isUtf8(ByteBuffer bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(bytes);
            return true;
        } catch (CharacterCodingException malformed) {
            return false;
        }
    }
}
