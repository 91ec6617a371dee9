package ai.molecule.sdk;

import ai.molecule.sdk.identity.Passport;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The trace (W3C Trace Context) an agent works in: whatever this client sends while a message is worked on says that it belongs
 * to the trace the message came with, so that work which is handed on shows as one. What it does by itself meanwhile is a {@link Step} of
 * it, told to a {@link SpanOutlet} where there is one and whoever began the trace wants it recorded.
 *
 * <p>It holds for the thread that works and for every thread it starts meanwhile.
 *
 * <pre>{@code
 * TraceContext.of(traceparent, tracestate).during(() -> answer(message));
 * }</pre>
 */
public final class TraceContext {

    /** Of no trace. */
    private static final TraceContext NONE =
            new TraceContext(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private static final Pattern PARENT = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    /** Where the last digit of a parent is, whose last bit says that the trace is recorded. */
    private static final int RECORDED_AT = 54;

    /** What the standard asks everybody to pass on at least. */
    private static final Pattern STATE = Pattern.compile("[\\x20-\\x7e]{1,512}");

    private static final InheritableThreadLocal<TraceContext> CURRENT = new InheritableThreadLocal<>();

    private final Optional<String> parent;
    private final Optional<String> state;

    private final Optional<SpanOutlet> outlet;
    private final Optional<Passport> passport;

    private TraceContext(
            Optional<String> parent, Optional<String> state, Optional<SpanOutlet> outlet, Optional<Passport> passport) {
        this.passport = passport;
        this.parent = parent;
        this.state = state;
        this.outlet = outlet;
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
                        parent,
                        tracestate.filter(value -> STATE.matcher(value).matches()),
                        Optional.empty(),
                        Optional.empty());
    }

    /** As it stands in the header {@code traceparent}, to go on in it when this process is over; empty where there is none. */
    public Optional<String> parent() {
        return parent;
    }

    /** As it stands in the header {@code tracestate}. */
    public Optional<String> state() {
        return state;
    }

    /** The same, whose steps are told there. */
    public TraceContext reportingTo(SpanOutlet there) {
        return new TraceContext(parent, state, Optional.of(there), passport);
    }

    /** The same, for work that is done under this passport: what is asked of others meanwhile shows it. */
    public TraceContext under(Optional<Passport> shown) {
        return new TraceContext(parent, state, outlet, shown);
    }

    /** That this thread works in, to go on in it later on another one. */
    public static TraceContext here() {
        var current = CURRENT.get();
        return current == null ? NONE : current;
    }

    /** That of the work this thread is at; empty where none came with it. */
    public static Optional<Passport> passport() {
        var current = CURRENT.get();
        return current == null ? Optional.empty() : current.passport;
    }

    /**
     * Begins something that counts as a step of the trace this thread works in: what is sent until it is closed belongs to it. To be closed
     * by the same thread. Does nothing outside of a trace that is recorded.
     *
     * @param client whether somebody else is asked for it
     */
    public static Step begin(String name, boolean client) {
        var current = CURRENT.get();
        boolean told = current != null
                && current.outlet.isPresent()
                && current.parent.isPresent()
                && (Character.digit(current.parent.get().charAt(RECORDED_AT), 16) & 1) == 1;
        return told ? new Recorded(current, current.outlet.get(), name, client) : Step.NONE;
    }

    /** Something that is done within a trace. */
    public interface Step extends AutoCloseable {

        /** Of no trace. */
        Step NONE = new Step() {
            @Override
            public void fact(String name, Object value) {}

            @Override
            public void failed(String why) {}

            @Override
            public void close() {}
        };

        /** @param value a text or a {@link Long} */
        void fact(String name, Object value);

        /** @param why a word from a bounded set */
        void failed(String why);

        @Override
        void close();
    }

    private static final class Recorded implements Step {

        private final TraceContext before;
        private final SpanOutlet outlet;
        private final String name;
        private final boolean client;
        private final String traceId;
        private final String parentId;
        private final String spanId;
        private final Instant begun = Instant.now();
        private final long begunNanos = System.nanoTime();
        private final Map<String, Object> facts = new HashMap<>();
        private String failure = "";

        Recorded(TraceContext before, SpanOutlet outlet, String name, boolean client) {
            this.before = before;
            this.outlet = outlet;
            this.name = name;
            this.client = client;
            String parent = before.parent.orElseThrow();
            this.traceId = parent.substring(3, 35);
            this.parentId = parent.substring(36, 52);
            long id = ThreadLocalRandom.current().nextLong();
            this.spanId = String.format("%016x", id == 0 ? 1 : id); // of zeros it would be none
            CURRENT.set(new TraceContext(
                    Optional.of(parent.substring(0, 36) + spanId + parent.substring(52)),
                    before.state,
                    before.outlet,
                    before.passport));
        }

        @Override
        public void fact(String fact, Object value) {
            facts.put(fact, value);
        }

        @Override
        public void failed(String why) {
            failure = why;
        }

        @Override
        public void close() {
            CURRENT.set(before);
            Instant ended = begun.plusNanos(System.nanoTime() - begunNanos); // a clock that was set counts no time
            outlet.take(new SpanOutlet.Span(traceId, spanId, parentId, name, client, begun, ended, failure, facts));
        }
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

    /** Lets a request say to which trace it belongs and on whose behalf it is; nothing when it belongs to none. */
    public static HttpRequest.Builder told(HttpRequest.Builder request) {
        var current = CURRENT.get();
        if (current != null) {
            current.parent.ifPresent(value -> request.setHeader("traceparent", value));
            current.state.ifPresent(value -> request.setHeader("tracestate", value));
            current.passport.ifPresent(value -> request.setHeader(Passport.HEADER, value.jws()));
        }
        return request;
    }
}
