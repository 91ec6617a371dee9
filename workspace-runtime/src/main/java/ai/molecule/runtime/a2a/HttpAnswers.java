package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How every answer that is no stream leaves: JSON, once. */
final class HttpAnswers {

    private static final Logger LOGGER = LoggerFactory.getLogger(HttpAnswers.class);

    private HttpAnswers() {}

    /** The caller may have left meanwhile, or have been answered when its time was up. */
    static void answer(HttpServerResponse response, int status, Buffer body) {
        answer(response, status, "application/json", body);
    }

    static void answer(HttpServerResponse response, int status, String contentType, Buffer body) {
        if (response.ended() || response.closed()) {
            return;
        }
        if (status == 503) {
            response.putHeader("Retry-After", "1");
        }
        if (status == 401) {
            response.putHeader("WWW-Authenticate", "Bearer");
        }
        response.setStatusCode(status).putHeader("Content-Type", contentType).end(body);
    }

    /** {@code {"error": "..."}}, or nothing when the connection broke. */
    static void refuse(HttpServerResponse response, Throwable failure) {
        if (failure instanceof HttpRefusal refusal) {
            ObjectNode body = Json.object().put("error", refusal.getMessage());
            answer(response, refusal.status(), Json.write(body));
        } else {
            LOGGER.atDebug().setCause(failure).log("request broke off");
        }
    }
}
