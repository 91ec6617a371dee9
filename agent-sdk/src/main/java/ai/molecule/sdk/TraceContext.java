package ai.molecule.sdk;

import java.net.http.HttpRequest;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The trace (W3C Trace Context) an agent works in: whatever this client sends while a message is worked on says that it belongs
 * to the trace the message came with, so that work which is handed on shows as one. Nothing is recorded or exported here.
 *
 * <p>It holds for the thread that works and for every thread it starts meanwhile.
 *
 * <pre>{@code
 * TraceContext.of(traceparent, tracestate).during(() -> answer(message));
 * }</pre>
 */
public final class TraceContext {

    /** Of no trace. */
    private static final TraceContext NONE = new TraceContext(Optional.empty(), Optional.empty());

    private static final Pattern PARENT = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    /** What the standard asks everybody to pass on at least. */
    private static final Pattern STATE = Pattern.compile("[\\x20-\\x7e]{1,512}");

    private static final InheritableThreadLocal<TraceContext> CURRENT = new InheritableThreadLocal<>();

    private final Optional<String> parent;
    private final Optional<String> state;

    private TraceContext(Optional<String> parent, Optional<String> state) {
        this.parent = parent;
        this.state = state;
    }

    /**
     * Of the headers {@code traceparent} and {@code tracestate} as they came. What is no {@code traceparent} counts as none, and
     * then there is no {@code tracestate} either.
     */
    public static TraceContext of(Optional<String> traceparent, Optional<String> tracestate) {
        var parent = traceparent.filter(value -> PARENT.matcher(value).matches());
        return parent.isEmpty()
                ? NONE
                : new TraceContext(
                        parent, tracestate.filter(value -> STATE.matcher(value).matches()));
    }

    /** Does this within the trace. */
    public <T> T during(Supplier<T> work) {
        var before = CURRENT.get();
        CURRENT.set(this);
        try {
            return work.get();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }

    /** Lets a request say to which trace it belongs; nothing when it belongs to none. */
    public static HttpRequest.Builder told(HttpRequest.Builder request) {
        var current = CURRENT.get();
        if (current != null) {
            current.parent.ifPresent(value -> request.setHeader("traceparent", value));
            current.state.ifPresent(value -> request.setHeader("tracestate", value));
        }
        return request;
    }
}
