package ai.molecule.proxy.a2a.admission;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message as it came in.
 *
 * @param target the path's id, not yet known to be one
 * @param caller {@code X-Workspace-ID}; null or blank for the canvas
 * @param source {@code X-Source-Workspace-Id}: whom a message without {@code caller} is said to be from
 * @param bearer the caller's own token
 * @param timeout {@code X-Timeout}
 * @param lastEventId {@code Last-Event-ID}: where a client that comes back to a stream had got to
 * @param passedOn headers that the agent gets as they are
 * @param written completes when the answer was written to its last byte, fails when the caller is gone
 * @param place what the body takes of {@code calls} until its call is counted there
 */
public record A2aRequest(
        String target,
        @Nullable String caller,
        @Nullable String source,
        @Nullable String bearer,
        @Nullable String timeout,
        @Nullable String lastEventId,
        Map<String, String> passedOn,
        byte[] body,
        Future<Void> written,
        Runnable place) {

    /** What {@code timeout} says, where it is a number of seconds. */
    public Optional<Duration> asked() {
        return timeout == null || !timeout.matches("\\d{1,9}") || Integer.parseInt(timeout) == 0
                ? Optional.empty()
                : Optional.of(Duration.ofSeconds(Integer.parseInt(timeout)));
    }

    public A2aRequest saying(byte[] another) {
        return new A2aRequest(target, caller, source, bearer, timeout, lastEventId, passedOn, another, written, place);
    }
}
