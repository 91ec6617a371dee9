package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * Calls at their agents whose outcome nobody has written down yet. Each keeps its message for as long as the agent works, so there is
 * a bound on what they keep together with those about to be sent, of which one agent's calls may have a quarter. To be used on one event loop.
 */
final class InFlightCalls {

    /** What a call takes besides its message. */
    private static final int CALL_BYTES = 4 * 1024;

    private static final int SHARE = 4;

    /** Read in any case: it may be a question about a task, which takes no room. */
    private static final int SMALL_MAX_BYTES = 64 * 1024;

    private final Set<ForwardedMessage> calls = new HashSet<>();
    private final Map<UUID, Long> bytesByTarget = new HashMap<>();
    private final long maxBytes;
    private long bytes;

    InFlightCalls(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Throws UNAVAILABLE where a message of that length finds no room; asked before its body is read, so the target may be none. */
    void requireRoom(String target, long length) {
        if (bytes + CALL_BYTES > maxBytes) {
            throw full("too many messages are at their agents — retry shortly");
        }
        if (length > SMALL_MAX_BYTES) {
            Ids.find(target).ifPresent(id -> requireShare(id, length + CALL_BYTES));
        }
    }

    /** Throws UNAVAILABLE where a message finds no room. */
    void requireRoom(MessageExchange exchange) {
        long more = bytesOf(exchange);
        if (bytes + more > maxBytes) {
            throw full("too many messages are at their agents — retry shortly");
        }
        requireShare(exchange.target(), more);
    }

    private void requireShare(UUID target, long more) {
        long there = bytesByTarget.getOrDefault(target, 0L);
        if (there > 0 && there + more > maxBytes / SHARE) {
            throw full("too many messages are at this agent — retry shortly");
        }
    }

    /** A message that was read and is not at its agent yet; what is answered gives its place back, and may be run again. */
    Runnable arrived(byte[] body) {
        long more = body.length + (long) CALL_BYTES;
        bytes += more;
        var taken = new AtomicBoolean(true);
        return () -> {
            if (taken.getAndSet(false)) {
                bytes -= more;
            }
        };
    }

    void add(ForwardedMessage call) {
        if (calls.add(call)) {
            var exchange = call.exchange();
            bytes += bytesOf(exchange);
            bytesByTarget.merge(exchange.target(), bytesOf(exchange), Long::sum);
        }
    }

    void remove(ForwardedMessage call) {
        if (calls.remove(call)) {
            release(call);
        }
    }

    private void release(ForwardedMessage call) {
        long less = bytesOf(call.exchange());
        bytes -= less;
        bytesByTarget.computeIfPresent(call.exchange().target(), (same, there) -> there <= less ? null : there - less);
    }

    /** Is answered by a stream, and keeps its place until that is over: its message is kept as long. */
    void streams(ForwardedMessage call, Future<?> over) {
        if (calls.remove(call)) {
            over.onComplete(done -> release(call));
        }
    }

    List<InFlightCall> at(Set<UUID> targets) {
        return calls.stream()
                .filter(call -> targets.contains(call.target()))
                .map(InFlightCall.class::cast)
                .toList();
    }

    Set<UUID> tasks() {
        return calls.stream().map(call -> call.exchange().taskId()).collect(Collectors.toSet());
    }

    Set<UUID> targets() {
        return Set.copyOf(bytesByTarget.keySet());
    }

    /** Gives them up; each is recorded. */
    void stop() {
        List.copyOf(calls).forEach(ForwardedMessage::stop);
    }

    private static long bytesOf(MessageExchange exchange) {
        return exchange.envelope().bytes().length + (long) CALL_BYTES;
    }

    private static ApiError full(String why) {
        return new ApiError(ApiError.Kind.UNAVAILABLE, why, Map.of("code", "platform_unavailable", "retry_after", 2));
    }
}
