package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.config.Door;
import ai.molecule.common.config.Environment;
import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code /health} says that the process runs, {@code /ready} that it can do its work, {@code /metrics} what it did. */
public final class Probes {

    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private static final Pattern OF_A_TENANT = Pattern.compile("^[^#].*[{,]tenant=\"");

    private static final String LIMIT = "X-RateLimit-Limit";
    private static final String UNLIMITED = "unlimited";

    private Probes() {}

    static void mountOn(RoutePage page, ServiceContext service) {
        probe(
                page,
                "/health",
                ctx -> Answers.json(ctx, Future.succeededFuture(Json.object().put("status", "ok"))));
        probe(
                page,
                "/ready",
                ctx -> Answers.json(
                        ctx,
                        service.ready()
                                .map(ready -> Json.object().put("status", "ready"))
                                .recover(notYet -> Future.failedFuture(ApiError.unavailable("not ready")))));
    }

    static void mountMetricsOn(RoutePage page, ServiceContext service) {
        page.get("/metrics", Guard.METRICS, ctx -> {
            SecurityHeaders.addTo(ctx);
            if (service.config().isOpen(Door.METRICS)) {
                ctx.response().putHeader(LIMIT, UNLIMITED);
            }
            ctx.response().putHeader("Content-Type", PROMETHEUS_TEXT).end(Buffer.buffer(figuresFor(ctx, service)));
        });
    }

    /** Tenants are strangers to each other: their names and what they spend are shown to the organization, not to agents nor to anybody. */
    private static String figuresFor(RoutingContext ctx, ServiceContext service) {
        String all = service.meters().scrape();
        boolean production = service.config().environment() == Environment.PRODUCTION;
        return switch (Caller.of(ctx).kind()) {
            case WORKSPACE -> withoutTenants(all);
            case ANONYMOUS -> production ? withoutTenants(all) : all;
            case HATCH, ADMIN, ORGANISATION, PERSON -> all;
        };
    }

    /** Prometheus text without the series that name a tenant. */
    static String withoutTenants(String figures) {
        return figures.lines()
                .filter(line -> !OF_A_TENANT.matcher(line).find())
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /** For a port where nothing else is served and nothing is asked. */
    public static Handler<HttpServerRequest> metricsOf(PrometheusMeterRegistry meters) {
        return request -> {
            boolean known = "/metrics".equals(request.path());
            request.response()
                    .setStatusCode(known ? 200 : 404)
                    .putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE)
                    .putHeader(HttpHeaders.CONTENT_TYPE, PROMETHEUS_TEXT)
                    .end(known ? meters.scrape() : "");
        };
    }

    /** In front of the rate limit, so that a busy client never makes a service look dead. */
    private static void probe(RoutePage page, String path, Handler<RoutingContext> answer) {
        page.get(path, Guard.OPEN, ctx -> {
            SecurityHeaders.addTo(ctx);
            ctx.response().putHeader(LIMIT, UNLIMITED);
            answer.handle(ctx);
        });
    }
}
