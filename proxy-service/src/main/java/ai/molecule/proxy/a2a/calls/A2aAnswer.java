package ai.molecule.proxy.a2a.calls;

import ai.molecule.proxy.streams.Reader;
import io.vertx.core.buffer.Buffer;

/** What the sender gets when there is no {@link ai.molecule.common.ApiError}. */
public sealed interface A2aAnswer {

    /** JSON, with the agent's own status. */
    record Whole(int status, Buffer body) implements A2aAnswer {

        /** As {@link A2aAnswer#isBusy}. */
        public boolean isBusy() {
            return A2aAnswer.isBusy(status);
        }
    }

    /** Events as they come. Whoever gets this either reads it or reports that nobody will. */
    record Stream(int status, Reader events) implements A2aAnswer {}

    /** A stream of one event, which says why there is no other. */
    record NoStream(String event) implements A2aAnswer {}

    /** Whether an agent that answers with that status has no capacity, so has run nothing. */
    static boolean isBusy(int status) {
        return status == 429 || status == 503;
    }
}
