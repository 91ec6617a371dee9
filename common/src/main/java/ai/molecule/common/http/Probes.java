package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** {@code /health} says that the process runs, {@code /ready} that it can do its work, {@code /metrics} what it did. */
final class Probes {

    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private Probes() {}

    static void mountOn(RoutePage page, ServiceContext service) {
        page.get(
                "/health",
                Guard.OPEN,
                ctx -> Answers.json(ctx, Future.succeededFuture(Json.object().put("status", "ok"))));
        page.get(
                "/ready",
                Guard.OPEN,
                ctx -> Answers.json(
                        ctx,
                        service.ready()
                                .map(ready -> Json.object().put("status", "ready"))
                                .recover(notYet -> Future.failedFuture(ApiError.unavailable("not ready")))));
        page.get(
                "/metrics",
                Guard.OPEN,
                ctx -> ctx.response()
                        .putHeader("Content-Type", PROMETHEUS_TEXT)
                        .end(Buffer.buffer(service.meters().scrape())));
    }
}
