package ai.molecule.proxy;

import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Reach;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.http.RuledTools;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.a2a.A2a;
import ai.molecule.proxy.a2a.HttpJsonRoutes;
import ai.molecule.proxy.delegations.DelegationRoutes;
import ai.molecule.proxy.frontdoor.AgentsDoor;
import ai.molecule.proxy.frontdoor.previews.PreviewRoutes;
import ai.molecule.proxy.liveness.LivenessRoutes;
import ai.molecule.proxy.liveness.LivenessService;
import ai.molecule.proxy.mcp.McpRoutes;
import ai.molecule.proxy.models.ModelDoorRoutes;
import ai.molecule.proxy.models.ModelOperation;
import ai.molecule.proxy.models.Models;
import ai.molecule.proxy.queue.QueueRoutes;
import ai.molecule.proxy.schedules.ScheduleRoutes;
import ai.molecule.proxy.spending.SpendingRoutes;
import ai.molecule.proxy.tasks.TaskRoutes;
import ai.molecule.proxy.traces.AgentSpanRoutes;
import ai.molecule.proxy.transcripts.TranscriptRoutes;
import ai.molecule.proxy.webhooks.WebhookRoutes;
import ai.molecule.proxy.work.WorkRoutes;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.Map;

/** Every route of the proxy with its guard. Any other path belongs to another service, or to nobody. */
public final class ProxyRouter {

    private static final String A2A = "/workspaces/:id/a2a";
    private static final String RECEIVERS = A2A + "/tasks/:taskId/pushNotificationConfigs";

    /** HTTP+JSON has each of its paths twice, and here a workspace is the only tenant at its address. */
    private static final String OF_TENANT = A2A + "/:tenant";

    private ProxyRouter() {}

    public static RoutePage page(
            ServiceContext service,
            Guards guards,
            CredentialWatch<Object> open,
            A2a messages,
            DelegationRoutes delegations,
            QueueRoutes queue,
            TaskRoutes tasks,
            TranscriptRoutes transcripts,
            ScheduleRoutes schedules,
            WorkRoutes work,
            WebhookRoutes webhooks,
            AgentSpanRoutes spans,
            AgentsDoor agentsDoor,
            Handler<RoutingContext> frontDoor,
            Models models,
            SpendingRoutes spending,
            PreviewRoutes previews,
            ProxyConfig config) {
        var a2a = messages.routes();
        var httpJson = a2a.httpJson();
        var mcp =
                new McpRoutes(guards, open, messages.policy(), service.config().orgId(), new Edge(service.config()));
        var liveness = new LivenessRoutes(new LivenessService(service.bus()), Clock.systemUTC());
        var page = new RoutePage(service, guards)
                .first(models.door())
                .first(agentsDoor)
                .first(new RuledTools(guards.credentials(), messages.policy(), null))
                .route(
                        HttpMethod.POST,
                        A2A,
                        Guard.HANDLER,
                        Reach.ONE_WORKSPACE,
                        config.a2a().requestMaxBytes(),
                        a2a::requireRoom,
                        a2a::send)
                .route(
                        HttpMethod.POST,
                        A2A + "/:operation",
                        Guard.HANDLER,
                        Reach.ONE_WORKSPACE,
                        config.a2a().requestMaxBytes(),
                        a2a::requireRoom,
                        httpJson::send)
                .alsoAt(OF_TENANT + "/:operation", HttpJsonRoutes::requireTenant)
                .get(A2A + "/tasks", Guard.HANDLER, httpJson.withQuery("ListTasks"))
                .alsoAt(OF_TENANT + "/tasks", HttpJsonRoutes::requireTenant)
                .get(A2A + "/tasks/:taskId", Guard.HANDLER, httpJson::task)
                .alsoAt(OF_TENANT + "/tasks/:taskId", HttpJsonRoutes::requireTenant)
                .post(A2A + "/tasks/:taskId", Guard.HANDLER, Reach.ONE_WORKSPACE, httpJson::change)
                .alsoAt(OF_TENANT + "/tasks/:taskId", HttpJsonRoutes::requireTenant)
                .get(RECEIVERS, Guard.HANDLER, httpJson::receivers)
                .alsoAt(RECEIVERS.replace(A2A, OF_TENANT), HttpJsonRoutes::requireTenant)
                .post(RECEIVERS, Guard.HANDLER, Reach.ONE_WORKSPACE, httpJson::addReceiver)
                .alsoAt(RECEIVERS.replace(A2A, OF_TENANT), HttpJsonRoutes::requireTenant)
                .get(RECEIVERS + "/:configId", Guard.HANDLER, httpJson.receiver("GetTaskPushNotificationConfig"))
                .alsoAt(RECEIVERS.replace(A2A, OF_TENANT) + "/:configId", HttpJsonRoutes::requireTenant)
                .delete(
                        RECEIVERS + "/:configId",
                        Guard.HANDLER,
                        Reach.ONE_WORKSPACE,
                        httpJson.receiver("DeleteTaskPushNotificationConfig"))
                .alsoAt(RECEIVERS.replace(A2A, OF_TENANT) + "/:configId", HttpJsonRoutes::requireTenant)
                .get(A2A + "/extendedAgentCard", Guard.HANDLER, httpJson.withQuery("GetExtendedAgentCard"))
                .alsoAt(OF_TENANT + "/extendedAgentCard", HttpJsonRoutes::requireTenant)
                .route(
                        HttpMethod.POST,
                        "/workspaces/:id/mcp",
                        Guard.HANDLER,
                        Reach.ONE_WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        mcp::answer)
                .get("/workspaces/:id/mcp", Guard.OPEN, mcp::refuse)
                .delete("/workspaces/:id/mcp", Guard.OPEN, Reach.NOTHING, mcp::refuse)
                .get("/workspaces/:id/tasks", Guard.WORKSPACE, tasks::list)
                .get("/workspaces/:id/transcript", Guard.WORKSPACE, transcripts::show)
                .get("/workspaces/:id/preview", Guard.WORKSPACE, previews::list)
                .post("/workspaces/:id/preview", Guard.WORKSPACE, Reach.ONE_WORKSPACE, previews::open)
                .get("/workspaces/:id/schedules", Guard.WORKSPACE, schedules::list)
                .route(
                        HttpMethod.POST,
                        "/workspaces/:id/schedules",
                        Guard.ADMITTED,
                        Reach.ONE_WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        schedules::create)
                .get("/workspaces/:id/schedules/health", Guard.HANDLER, schedules::health)
                .route(
                        HttpMethod.PATCH,
                        "/workspaces/:id/schedules/:scheduleId",
                        Guard.WORKSPACE,
                        Reach.ONE_WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        schedules::change)
                .delete(
                        "/workspaces/:id/schedules/:scheduleId",
                        Guard.WORKSPACE,
                        Reach.ONE_WORKSPACE,
                        schedules::delete)
                .post("/workspaces/:id/schedules/:scheduleId/run", Guard.WORKSPACE, Reach.ONE_WORKSPACE, schedules::run)
                .get("/workspaces/:id/schedules/:scheduleId/history", Guard.WORKSPACE, schedules::history)
                .get("/admin/schedules/health", Guard.LISTING, schedules::healthOfAll)
                .route(
                        HttpMethod.POST,
                        "/work",
                        Guard.LISTING,
                        Reach.ONE_WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        work::begin)
                .get("/work", Guard.LISTING, work::list)
                .get("/work/:id", Guard.HANDLER, work::show)
                .patch("/work/:id", Guard.LISTING, Reach.ONE_WORKSPACE, work::limit)
                .get("/webhooks", Guard.LISTING, webhooks::list)
                .put("/webhooks/:type", Guard.LISTING, Reach.ONE_WORKSPACE, webhooks::set)
                .delete("/webhooks/:type", Guard.LISTING, Reach.ONE_WORKSPACE, webhooks::delete)
                .put("/webhooks/github/:id", Guard.LISTING, Reach.ONE_WORKSPACE, webhooks::setOfGithub)
                .delete("/webhooks/github/:id", Guard.LISTING, Reach.ONE_WORKSPACE, webhooks::deleteOfGithub)
                .route(
                        HttpMethod.POST,
                        "/webhooks/:type",
                        Guard.HANDLER,
                        Reach.ONE_WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        webhooks::take)
                .route(
                        HttpMethod.POST,
                        "/webhooks/github/:id",
                        Guard.HANDLER,
                        Reach.ONE_WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        webhooks::takeOfGithub)
                .route(
                        HttpMethod.POST,
                        "/workspaces/:id/delegate",
                        Guard.HANDLER,
                        Reach.ONE_WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        delegations::delegate)
                .get("/workspaces/:id/delegations", Guard.WORKSPACE, delegations::list)
                .get("/workspaces/:id/delegations/:delegation_id", Guard.WORKSPACE, delegations::show)
                .route(
                        HttpMethod.POST,
                        "/workspaces/:id/delegations/record",
                        Guard.ADMITTED,
                        Reach.ONE_WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        delegations::record)
                .route(
                        HttpMethod.POST,
                        "/workspaces/:id/delegations/:delegation_id/update",
                        Guard.RESULTS,
                        Reach.ONE_WORKSPACE,
                        RoutePage.LARGE_BODY_MAX_BYTES,
                        delegations::update)
                .patch(
                        "/workspaces/:id/delegations/:delegation_id",
                        Guard.WORKSPACE,
                        Reach.ONE_WORKSPACE,
                        delegations::limit)
                .post("/admin/a2a-queue/drop-stale", Guard.ADMIN, Reach.ORGANISATION, queue::dropStale)
                .get("/admin/liveness", Guard.ADMIN, liveness::show)
                .get("/workspaces/:id/metrics", Guard.WORKSPACE, models.usage()::metrics)
                .post("/v1/traces", Guard.HANDLER, Reach.NOTHING, spans::take)
                .get("/usage", Guard.LISTING, models.usage()::show)
                .get("/settings/spending", Guard.LISTING, spending::show)
                .put("/settings/spending", Guard.OWNER, Reach.ORGANISATION, spending::change)
                .get("/settings/prices", Guard.LISTING, models.prices()::list)
                .put("/settings/prices", Guard.OWNER, Reach.ORGANISATION, models.prices()::set)
                .delete("/settings/prices", Guard.OWNER, Reach.ORGANISATION, models.prices()::remove)
                .get("/model-providers", Guard.LISTING, models.routes()::listForAll)
                .get("/workspaces/:id/models", Guard.WORKSPACE, models.routes()::listOf)
                .get("/workspaces/:id/model-aliases", Guard.WORKSPACE, models.aliases()::list)
                .put("/workspaces/:id/model-aliases/:name", Guard.ADMIN, Reach.BRANCH, models.aliases()::set)
                .delete("/workspaces/:id/model-aliases/:name", Guard.ADMIN, Reach.BRANCH, models.aliases()::remove)
                .otherwise(frontDoor);
        return models(page, models.routes(), config.models().limits().requestMaxBytes());
    }

    /** The door itself asked who calls, before the body; errors are in the shape of the protocol. */
    private static RoutePage models(RoutePage page, ModelDoorRoutes models, int maxBytes) {
        Map.of(
                        "/models/openai/v1/chat/completions", ModelOperation.CHAT,
                        "/models/openai/v1/responses", ModelOperation.RESPONSES,
                        "/models/openai/v1/embeddings", ModelOperation.EMBEDDINGS,
                        "/models/anthropic/v1/messages", ModelOperation.MESSAGES,
                        "/models/anthropic/v1/messages/count_tokens", ModelOperation.COUNT_MESSAGE_TOKENS)
                .forEach((path, operation) -> page.route(
                        HttpMethod.POST,
                        path,
                        Guard.HANDLER,
                        Reach.ONE_WORKSPACE,
                        maxBytes,
                        models::requireRoom,
                        models.ask(operation)));
        return page.route(
                        HttpMethod.POST,
                        "/models/google/v1beta/models/:model",
                        Guard.HANDLER,
                        Reach.ONE_WORKSPACE,
                        maxBytes,
                        models::requireRoom,
                        models::askGoogle)
                .get("/models/openai/v1/models", Guard.HANDLER, models.list(ModelProtocol.OPENAI))
                .get("/models/openai/v1/models/:model", Guard.HANDLER, models.show(ModelProtocol.OPENAI))
                .get("/models/anthropic/v1/models", Guard.HANDLER, models.list(ModelProtocol.ANTHROPIC))
                .get("/models/anthropic/v1/models/:model", Guard.HANDLER, models.show(ModelProtocol.ANTHROPIC))
                .get("/models/google/v1beta/models", Guard.HANDLER, models.list(ModelProtocol.GOOGLE))
                .get("/models/google/v1beta/models/:model", Guard.HANDLER, models.show(ModelProtocol.GOOGLE))
                .get("/models", Guard.HANDLER, models::listAll);
    }
}
