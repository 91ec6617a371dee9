package ai.molecule.proxy.a2a;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;

/** What came back from an agent; {@code durationMs} is the time until its headers. */
sealed interface AgentAnswer {

    int status();

    int durationMs();

    record Whole(int status, int durationMs, Buffer body) implements AgentAnswer {}

    /** An event stream, paused. */
    record Events(int status, int durationMs, HttpClientResponse response) implements AgentAnswer {}
}
