package ai.molecule.proxy.streams;

import io.vertx.core.Future;
import io.vertx.core.http.HttpClientResponse;

/** What streams need of agents: to follow a task again after the stream's owner died, and to write down how that ended. */
public interface TaskFollower {

    /** Opens the agent's stream of the head's task, from now on, paused; fails with a text that the client may read. */
    Future<HttpClientResponse> follow(StreamHead head);

    /** An adopted stream has ended; the call it answered is to be written down. */
    void ended(StreamHead head, Relay.End end);
}
