package ai.molecule.runtime.a2a;

import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;

/** What a body says it is. */
final class MediaTypes {

    private MediaTypes() {}

    /** One that says nothing is read. @throws RpcError -32005 when it says that it is something else than JSON */
    static void requireJson(HttpServerRequest http) {
        String said = http.getHeader("Content-Type");
        if (said == null || said.isBlank()) {
            return;
        }
        String type = said.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (!type.equals("application/json") && !(type.startsWith("application/") && type.endsWith("+json"))) {
            throw RpcError.contentTypeNotSupported("Content-Type", "must be application/json");
        }
    }
}
