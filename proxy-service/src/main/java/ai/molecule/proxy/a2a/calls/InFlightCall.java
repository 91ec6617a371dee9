package ai.molecule.proxy.a2a.calls;

import io.vertx.core.Future;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A call at its agent, whose answer is not there yet. */
public interface InFlightCall {

    UUID target();

    /** Null when its end could not be asked for. */
    @Nullable
    String messageId();

    /** What the message became; null when the agent has to be asked. */
    @Nullable
    String taskId();

    /** Whether somebody waits for the answer who would not find it otherwise. */
    boolean awaited();

    /** Ends the connection, not the work: kept where nobody else remembers the call, so that its end is asked for later. */
    Future<Void> letGo(String taskId);
}
