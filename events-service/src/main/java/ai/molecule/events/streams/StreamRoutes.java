package ai.molecule.events.streams;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.events.directory.OrgChartCache;
import ai.molecule.events.hub.Audience;
import ai.molecule.events.hub.Hub;
import ai.molecule.events.log.LogPage;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The stream's HTTP face: 404 for a workspace that never existed, then events until either side ends it. */
public final class StreamRoutes {

    /** How often a comment keeps proxies from cutting an idle stream. */
    public static final Duration KEEP_ALIVE_EVERY = Duration.ofSeconds(15);

    private static final String COMMENT = ": ping\n\n";

    private final Hub hub;
    private final OrgChartCache charts;
    private final Duration keepAliveEvery;

    public StreamRoutes(Hub hub, OrgChartCache charts, Duration keepAliveEvery) {
        this.hub = hub;
        this.charts = charts;
        this.keepAliveEvery = keepAliveEvery;
    }

    /** Events of the workspace from now on, or from behind {@code Last-Event-ID}. */
    public void stream(RoutingContext ctx) {
        UUID id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.notFound("workspace not found"));
        Long since = LogPage.number("Last-Event-ID", 0, ctx.request()::getHeader);
        charts.find(id)
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(known -> hub.admit(since))
                .onSuccess(admitted -> open(ctx, id, since))
                .onFailure(ctx::fail);
    }

    private void open(RoutingContext ctx, UUID id, @Nullable Long since) {
        var response = ctx.response();
        if (response.closed()) {
            return;
        }
        response.setChunked(true)
                .putHeader("Content-Type", "text/event-stream")
                .putHeader("Cache-Control", "no-cache")
                .putHeader("Connection", "keep-alive")
                .putHeader("X-Accel-Buffering", "no")
                .write(COMMENT);
        var subscriber = hub.join(new Audience.OneWorkspace(id), new StreamOutlet(ctx), since);
        long keepAlive = ctx.vertx().setPeriodic(keepAliveEvery.toMillis(), timer -> response.write(COMMENT));
        ctx.addEndHandler(ended -> {
            ctx.vertx().cancelTimer(keepAlive);
            hub.leave(subscriber);
        });
    }
}
