package ai.molecule.events.streams;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Role;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.Edge;
import ai.molecule.events.hub.Audience;
import ai.molecule.events.hub.Hub;
import ai.molecule.events.hub.SubscriberLimits;
import ai.molecule.events.hub.TokenWatch;
import ai.molecule.events.log.LogPage;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The stream's HTTP face: 404 for a workspace that never existed, then events until either side ends it. */
public record StreamRoutes(
        Hub hub,
        OrgChartCache charts,
        Guards guards,
        SubscriberLimits limits,
        TokenWatch tokens,
        Edge edge,
        Duration keepAliveEvery) {

    /** How often a comment keeps proxies from cutting an idle stream. */
    public static final Duration KEEP_ALIVE_EVERY = Duration.ofSeconds(15);

    private static final String COMMENT = ": ping\n\n";

    /** Events of the workspace from now on, or from behind {@code Last-Event-ID}. */
    public void stream(RoutingContext ctx) {
        UUID id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.notFound("workspace not found"));
        Long since = LogPage.number("Last-Event-ID", 0, ctx.request()::getHeader);
        charts.find(id)
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(known -> hub.admit(since))
                .map(admitted -> limits.take(edge.networkOf(ctx.request()), credentialOf(ctx)))
                .onSuccess(place -> open(ctx, id, since, place))
                .onFailure(ctx::fail);
    }

    private static String credentialOf(RoutingContext ctx) {
        String bearer = Bearer.of(ctx.request());
        var holder = Caller.of(ctx).workspaceId();
        return holder != null ? holder.toString() : bearer == null ? "-" : Credentials.hashOf(bearer);
    }

    private void open(RoutingContext ctx, UUID id, @Nullable Long since, Runnable place) {
        var response = ctx.response();
        if (response.closed()) {
            place.run();
            return;
        }
        response.setChunked(true)
                .putHeader("Content-Type", "text/event-stream")
                .putHeader("Cache-Control", "no-cache")
                .putHeader("Connection", "keep-alive")
                .putHeader("X-Accel-Buffering", "no")
                .write(COMMENT);
        var subscriber = hub.join(new Audience.OneWorkspace(id), new StreamOutlet(ctx), since);
        String bearer = Bearer.of(ctx.request());
        if (bearer != null) {
            tokens.watch(subscriber, id, () -> guards.workspace(bearer, id, Role.VIEWER));
        }
        long keepAlive = ctx.vertx().setPeriodic(keepAliveEvery.toMillis(), timer -> response.write(COMMENT));
        ctx.addEndHandler(ended -> {
            ctx.vertx().cancelTimer(keepAlive);
            place.run();
            tokens.forget(subscriber);
            hub.leave(subscriber);
        });
    }
}
