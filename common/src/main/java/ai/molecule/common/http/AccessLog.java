package ai.molecule.common.http;

import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.common.tracing.Tracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One DEBUG line and one measurement per request, by the route's pattern so that the number of series stays bounded. */
public final class AccessLog implements Handler<RoutingContext> {

    private static final Logger LOGGER = LoggerFactory.getLogger(AccessLog.class);
    private static final String ROUTE = AccessLog.class.getName();
    private static final String SPAN = Tracing.Span.class.getName();

    private static final String UNMATCHED = "unmatched";

    private record Series(String method, String route, int status) {}

    private final MeterRegistry meters;
    private final Tracing tracing;
    private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

    public AccessLog(MeterRegistry meters, Tracing tracing) {
        this.meters = meters;
        this.tracing = tracing;
    }

    /** Remembers the pattern of the route that took the request. Never the path: there would be no end of series. */
    public static void routeIs(RoutingContext ctx, String pattern) {
        ctx.put(ROUTE, pattern);
        var span = spanOf(ctx);
        if (span != null) {
            span.isCalled(operationOf(ctx), pattern);
        }
    }

    /** Method and route pattern, as traces name the request. */
    public static String operationOf(RoutingContext ctx) {
        return knownMethod(ctx.request().method().name()) + " " + ctx.get(ROUTE, UNMATCHED);
    }

    /** Null when the request is not traced. */
    public static Tracing.@Nullable Span spanOf(RoutingContext ctx) {
        return ctx.get(SPAN);
    }

    /** For a call that comes when this request is long over: its span's, when it is not traced here the caller's own; or null. */
    public static @Nullable String traceparentOf(RoutingContext ctx) {
        var span = spanOf(ctx);
        return span == null ? TraceHeaders.parent(ctx.request().getHeader(TraceHeaders.PARENT)) : span.traceparent();
    }

    @Override
    public void handle(RoutingContext ctx) {
        long startNanos = System.nanoTime();
        var span = tracing.current();
        if (span != null) {
            ctx.put(SPAN, span);
        }
        ctx.addEndHandler(ended -> {
            long nanos = System.nanoTime() - startNanos;
            int status = ctx.response().getStatusCode();
            String route = ctx.get(ROUTE, UNMATCHED);
            String method = ctx.request().method().name();
            timers.computeIfAbsent(new Series(knownMethod(method), route, status), this::timer)
                    .record(nanos, TimeUnit.NANOSECONDS);
            var line = span == null ? LOGGER.atDebug() : LOGGER.atDebug().addKeyValue("traceId", span.traceId());
            line.addKeyValue("method", method)
                    .addKeyValue("route", route)
                    .addKeyValue("status", status)
                    .addKeyValue("durationMs", nanos / 1_000_000)
                    .addKeyValue("requestId", RequestId.of(ctx))
                    .log("request");
        });
        ctx.next();
    }

    private Timer timer(Series series) {
        return Timer.builder("molecule.http.requests")
                .tag("method", series.method)
                .tag("path", series.route)
                .tag("status", String.valueOf(series.status))
                .register(meters);
    }

    private static String knownMethod(String method) {
        return switch (method) {
            case "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD" -> method;
            default -> "OTHER";
        };
    }
}
