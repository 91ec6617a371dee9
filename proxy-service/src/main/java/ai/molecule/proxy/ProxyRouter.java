package ai.molecule.proxy;

import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.a2a.A2aLimits;
import ai.molecule.proxy.a2a.A2aRoutes;
import ai.molecule.proxy.delegations.DelegationRoutes;
import ai.molecule.proxy.frontdoor.AgentsDoor;
import ai.molecule.proxy.liveness.LivenessRoutes;
import ai.molecule.proxy.liveness.LivenessService;
import ai.molecule.proxy.queue.QueueRoutes;
import ai.molecule.proxy.tasks.TaskRoutes;
import ai.molecule.proxy.work.WorkRoutes;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;

/** Every route of the proxy with its guard. Any other path belongs to another service, or to nobody. */
public final class ProxyRouter {

    private ProxyRouter() {}

    public static RoutePage page(
            ServiceContext service,
            Guards guards,
            A2aRoutes a2a,
            DelegationRoutes delegations,
            QueueRoutes queue,
            TaskRoutes tasks,
            WorkRoutes work,
            AgentsDoor agentsDoor,
            Handler<RoutingContext> frontDoor,
            A2aLimits limits) {
        var liveness = new LivenessRoutes(new LivenessService(service.bus()), Clock.systemUTC());
        return new RoutePage(service, guards)
                .first(agentsDoor)
                .route(
                        HttpMethod.POST,
                        "/workspaces/:id/a2a",
                        Guard.HANDLER,
                        limits.requestMaxBytes(),
                        a2a::requireRoom,
                        a2a::send)
                .get("/workspaces/:id/a2a/tasks/:taskId", Guard.HANDLER, a2a::task)
                .get("/workspaces/:id/tasks", Guard.WORKSPACE, tasks::list)
                .route(HttpMethod.POST, "/work", Guard.ADMIN, RoutePage.LARGE_BODY_MAX_BYTES, work::begin)
                .get("/work", Guard.ADMIN, work::list)
                .get("/work/:id", Guard.HANDLER, work::show)
                .route(
                        HttpMethod.POST,
                        "/workspaces/:id/delegate",
                        Guard.HANDLER,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        delegations::delegate)
                .get("/workspaces/:id/delegations", Guard.WORKSPACE, delegations::list)
                .route(
                        HttpMethod.POST,
                        "/workspaces/:id/delegations/record",
                        Guard.WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        delegations::record)
                .route(
                        HttpMethod.POST,
                        "/workspaces/:id/delegations/:delegation_id/update",
                        Guard.RESULTS,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        delegations::update)
                .post("/admin/a2a-queue/drop-stale", Guard.ADMIN, queue::dropStale)
                .get("/admin/liveness", Guard.ADMIN, liveness::show)
                .otherwise(frontDoor);
    }
}
