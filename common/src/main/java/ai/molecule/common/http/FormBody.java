package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import io.vertx.ext.web.RoutingContext;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A body of {@code application/x-www-form-urlencoded}, whatever its Content-Type, which no route here reads. */
public final class FormBody {

    private FormBody() {}

    /** Members that have a value. Throws INVALID for a name that comes twice, as RFC 6749 has it, and for what is encoded otherwise. */
    public static Map<String, String> of(RoutingContext ctx) {
        var body = ctx.body().buffer();
        Map<String, String> form = new HashMap<>();
        for (String pair : (body == null ? "" : body.toString(StandardCharsets.UTF_8)).split("&")) {
            int at = pair.indexOf('=');
            if (at <= 0) {
                continue;
            }
            try {
                String name = URLDecoder.decode(pair.substring(0, at), StandardCharsets.UTF_8);
                String value = URLDecoder.decode(pair.substring(at + 1), StandardCharsets.UTF_8);
                if (form.put(name, value) != null) {
                    throw ApiError.invalid("a parameter comes twice");
                }
            } catch (IllegalArgumentException broken) {
                throw ApiError.invalid("the request is not encoded as a form");
            }
        }
        form.values().removeIf(String::isEmpty);
        return form;
    }
}
