package ai.molecule.provisioner.lifecycle;

import ai.molecule.common.auth.Caller;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;

/** The HTTP face of {@link LifecycleService} (registry contract, 5.7). */
public record LifecycleRoutes(LifecycleService lifecycle) {

    /** 200; 400 a bad body or template; 403 for somebody of a branch where the organisation paused it; 404 unknown; 409 an ancestor is paused; 503 no backend. */
    public void restart(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        boolean resetInQuery = "true".equals(ctx.request().getParam("reset"));
        var wish = RestartWish.of(JsonBody.optional(ctx, "invalid request body"), resetInQuery);
        Answers.json(
                ctx,
                lifecycle
                        .restart(id, wish, ofBranch(ctx))
                        .map(configs -> Json.object()
                                .put("status", "provisioning")
                                .put("config_dir", configs)
                                .put("reset_session", wish.reset())));
    }

    /** An agent that pauses itself does no more than its branch does. */
    private static boolean ofBranch(RoutingContext ctx) {
        return !Caller.of(ctx).rulesTheOrganisation();
    }

    /** 200 after the processes ended; 404 unknown or paused already. */
    public void pause(RoutingContext ctx) {
        Answers.json(
                ctx,
                lifecycle
                        .pause(PathIds.workspace(ctx), ofBranch(ctx))
                        .map(count -> Json.object().put("status", "paused").put("paused_count", count)));
    }

    /** 200; 403 for somebody of a branch where the organisation paused it; 404 unknown or not paused; 409 an ancestor is paused; 503 no backend. */
    public void resume(RoutingContext ctx) {
        Answers.json(
                ctx,
                lifecycle
                        .resume(PathIds.workspace(ctx), ofBranch(ctx))
                        .map(count ->
                                Json.object().put("status", "provisioning").put("resumed_count", count)));
    }

    /** {@code ?force=true} whatever it is at; 200 after the process ended; 404 not online or degraded; 409 at work, or not ours. */
    public void hibernate(RoutingContext ctx) {
        boolean force = "true".equals(ctx.request().getParam("force"));
        Answers.json(
                ctx,
                lifecycle
                        .hibernate(PathIds.workspace(ctx), force)
                        .map(asleep -> Json.object().put("status", "hibernated")));
    }

    /** 200 when its start is begun, or it was up already; 404 unknown; 409 quarantined, or an ancestor is paused; 503 no backend. */
    public void wake(RoutingContext ctx) {
        Answers.json(
                ctx,
                lifecycle
                        .wake(PathIds.workspace(ctx))
                        .map(begun -> Json.object().put("status", begun ? "provisioning" : "awake")));
    }
}
