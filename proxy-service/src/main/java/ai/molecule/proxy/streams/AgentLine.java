package ai.molecule.proxy.streams;

import io.vertx.core.Future;
import io.vertx.core.http.HttpClientResponse;

/** What the streams need of the agents: to be followed again after an owner died, and the record of how it ended. */
public interface AgentLine {

    /** The agent's stream of the head's task from now on, paused; fails with a text that the client may read. */
    Future<HttpClientResponse> follow(StreamHead head);

    /** An adopted stream has ended; the call it answered is to be written down. */
    void ended(StreamHead head, Relay.End end);
}
