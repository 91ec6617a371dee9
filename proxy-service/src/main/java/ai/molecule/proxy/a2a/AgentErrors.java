package ai.molecule.proxy.a2a;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import io.netty.handler.codec.http.HttpResponseStatus;

/** An agent's answer as the sender gets it: 2xx byte for byte, anything else as {@code {"error": …}} with the same status. */
final class AgentErrors {

    private static final Shape ERROR = Shape.of("error");

    private AgentErrors() {}

    static A2aAnswer mapped(AgentAnswer.Whole answer) {
        if (answer.status() < 300) {
            return new A2aAnswer.Whole(answer.status(), answer.body());
        }
        byte[] body = answer.body().getBytes();
        String said = JsonScanner.scan(body, ERROR)
                .map(found -> found.at(0))
                .filter(error -> error.startsWith(body, '"'))
                .map(error -> error.stringIn(body))
                .orElseGet(() -> HttpResponseStatus.valueOf(answer.status()).reasonPhrase());
        return new A2aAnswer.Whole(answer.status(), Json.buffer(Json.object().put("error", said)));
    }
}
