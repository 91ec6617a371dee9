package ai.molecule.common.tracing;

import ai.molecule.common.models.ModelUsage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tracing as the services see it. It begins before Vert.x does and ends after it; between, Vert.x itself reports requests served
 * and sent, bus calls and queries.
 */
public interface Tracing {

    /** Nothing is traced. */
    Tracing OFF = new Tracing() {
        @Override
        public VertxBuilder over(VertxBuilder builder) {
            return builder;
        }

        @Override
        public @Nullable Span current() {
            return null;
        }

        @Override
        public ModelSpan asks(String operation, String provider, String model) {
            return ModelSpan.NONE;
        }

        @Override
        public boolean take(List<AgentSpan> told) {
            return false;
        }

        @Override
        public void end(Duration max) {}
    };

    /** A call of a model. */
    interface ModelSpan {

        ModelSpan NONE = (usage, error) -> {};

        /**
         * Once.
         *
         * @param error a word from a bounded set; null when all went well
         */
        void end(ModelUsage usage, @Nullable String error);
    }

    /** What is being done for one request. */
    interface Span {

        /** A name from a bounded set, such as {@code POST /workspaces/:id/a2a}; and the pattern of its route alone. */
        void isCalled(String name, String route);

        /** Of the protocol that the request carries; nothing where the value is empty, or no short word. */
        void says(RpcFact fact, String value);

        /** 32 hexadecimal digits. */
        String traceId();

        /** The W3C {@code traceparent} of a call that belongs to it. */
        String traceparent();
    }

    /**
     * Connects to nobody yet; a collector that is away costs its spans and nothing else.
     *
     * @param config null for {@link #OFF}
     * @param service {@code service.name}, unless {@code OTEL_SERVICE_NAME} says otherwise
     * @throws IllegalArgumentException when OpenTelemetry does not understand a variable
     */
    static Tracing begin(@Nullable TracingConfig config, String service) {
        return config == null ? OFF : Exporting.begin(config, service);
    }

    /** The tracing that this Vert.x was built with. */
    static Tracing of(Vertx vertx) {
        return vertx instanceof VertxInternal internal && internal.tracer() instanceof Tracing tracing ? tracing : OFF;
    }

    /**
     * For an answer that several askers share: a future of the caller's own. Its callbacks run in the caller's context; otherwise they
     * would run in that of whoever asked first, and count to that trace, and to that {@link ai.molecule.common.audit.Actor}.
     */
    static <T> Future<T> here(Future<T> shared) {
        var context = ContextInternal.current();
        if (context == null || !context.isDuplicate()) {
            return shared;
        }
        Promise<T> own = context.promise();
        shared.onComplete(own);
        return own.future();
    }

    /** Runs work now, on this thread, that belongs to no request although one woke it: it is in no trace, and nobody's. */
    static void apart(Runnable work) {
        var context = ContextInternal.current();
        if (context == null || !context.isDuplicate()) {
            work.run();
        } else {
            context.unwrap().duplicate().dispatch(work);
        }
    }

    /** Has the Vert.x that is built report to this tracing. */
    VertxBuilder over(VertxBuilder builder);

    /** The span of the calling context; null when nothing is traced there. Requests sent from there carry its trace by themselves. */
    @Nullable
    Span current();

    /**
     * A call of a model that begins now, within the span of the calling context; outside of one it is not traced.
     *
     * @param operation by the conventions for generative AI, such as {@code chat}
     */
    ModelSpan asks(String operation, String provider, String model);

    /** Sends on what agents did, with the platform's own spans and within the same bounds. False where nothing is traced. */
    boolean take(List<AgentSpan> told);

    /** Sends what is left, blocking, at most this long. To be called when Vert.x was closed. */
    void end(Duration max);
}
