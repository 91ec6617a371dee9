package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;

/** {@code /health} says that the process runs, {@code /ready} that it can do its work, {@code /metrics} what it did. */
final class Probes {

    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

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
        probe(
                page,
                "/metrics",
                ctx -> ctx.response()
                        .putHeader("Content-Type", PROMETHEUS_TEXT)
                        .end(Buffer.buffer(service.meters().scrape())));
    }

    /** In front of the rate limit, so that a busy client never makes a service look dead. */
    private static void probe(RoutePage page, String path, Handler<RoutingContext> answer) {
        page.get(path, Guard.OPEN, ctx -> {
            SecurityHeaders.wear(ctx);
            ctx.response().putHeader("X-RateLimit-Limit", "unlimited");
            answer.handle(ctx);
        });
    }
}
