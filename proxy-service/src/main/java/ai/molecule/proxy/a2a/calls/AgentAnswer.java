package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;

/** What came back from an agent; {@code durationMs} is the time until its headers. */
public sealed interface AgentAnswer {

    int status();

    int durationMs();

    record Whole(int status, int durationMs, Buffer body) implements AgentAnswer {

        private static final Shape ERROR = Shape.of("error");

        private static final int UNAUTHORIZED = 401;
        private static final int MISDIRECTED = 421;

        /** Whether whoever listens there says that the message was meant for somebody else; it has run nothing. */
        public boolean isMisdirected() {
            return status == MISDIRECTED;
        }

        /** Whether it does not believe who calls; it has run nothing. */
        public boolean isUnauthorized() {
            return status == UNAUTHORIZED;
        }

        /** Whether the agent says that it has no capacity; it has run nothing. */
        public boolean isBusy() {
            return A2aAnswer.isBusy(status);
        }

        /** As the sender gets it: 2xx byte for byte, anything else as {@code {"error": …}} with the same status. */
        public A2aAnswer.Whole forSender() {
            if (status < 300) {
                return new A2aAnswer.Whole(status, body);
            }
            byte[] bytes = body.getBytes();
            String said = JsonScanner.scan(bytes, ERROR)
                    .map(found -> found.at(0))
                    .filter(error -> error.startsWith(bytes, '"'))
                    .map(error -> error.stringIn(bytes))
                    .orElseGet(() -> HttpResponseStatus.valueOf(status).reasonPhrase());
            return new A2aAnswer.Whole(status, Json.buffer(Json.object().put("error", said)));
        }
    }

    /** An event stream, paused. */
    record Events(int status, int durationMs, HttpClientResponse response) implements AgentAnswer {}
}
