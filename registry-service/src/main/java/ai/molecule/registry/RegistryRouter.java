package ai.molecule.registry;

import static ai.molecule.common.auth.Guard.ADMIN;
import static ai.molecule.common.auth.Guard.CANVAS_OR_BEARER;
import static ai.molecule.common.auth.Guard.CREDENTIAL;
import static ai.molecule.common.auth.Guard.HANDLER;
import static ai.molecule.common.auth.Guard.WORKSPACE;
import static ai.molecule.common.http.RoutePage.LARGE_BODY_MAX_BYTES;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.registry.approvals.ApprovalRoutes;
import ai.molecule.registry.budgets.BudgetRoutes;
import ai.molecule.registry.canvas.ViewportRoutes;
import ai.molecule.registry.cards.CardRoutes;
import ai.molecule.registry.configs.ConfigRoutes;
import ai.molecule.registry.discovery.DiscoveryRoutes;
import ai.molecule.registry.heartbeats.HeartbeatRoutes;
import ai.molecule.registry.invitations.InvitationRoutes;
import ai.molecule.registry.keyvalues.KeyValueRoutes;
import ai.molecule.registry.lifecycle.QuarantineRoutes;
import ai.molecule.registry.lifecycle.RemovalRoutes;
import ai.molecule.registry.memories.MemoryRoutes;
import ai.molecule.registry.notkept.NotKept;
import ai.molecule.registry.notkept.NotKeptRoutes;
import ai.molecule.registry.orgtokens.OrgTokenRoutes;
import ai.molecule.registry.registrations.RegistrationRoutes;
import ai.molecule.registry.secrets.ModelRoutes;
import ai.molecule.registry.secrets.SecretRoutes;
import ai.molecule.registry.sessions.SessionRoutes;
import ai.molecule.registry.tokens.TokenRoutes;
import ai.molecule.registry.versions.VersionRoutes;
import ai.molecule.registry.workspaces.MoveRoutes;
import ai.molecule.registry.workspaces.WorkspaceRoutes;

/** Every route of the registry with its guard. */
public final class RegistryRouter {

    /** What an agent says of itself: a card of 64 KiB, escaped, and its address; an error and a task in its own words. */
    private static final long CARD_BODY_MAX_BYTES = 256 * 1024;

    private RegistryRouter() {}

    static RoutePage page(
            ServiceContext service,
            Guards guards,
            WorkspaceRoutes workspaces,
            MoveRoutes moves,
            InvitationRoutes invitations,
            RemovalRoutes removals,
            QuarantineRoutes quarantine,
            RegistrationRoutes registrations,
            HeartbeatRoutes heartbeats,
            DiscoveryRoutes discovery,
            CardRoutes cards,
            TokenRoutes tokens,
            OrgTokenRoutes orgTokens,
            ApprovalRoutes approvals,
            BudgetRoutes budgets,
            ConfigRoutes configs,
            VersionRoutes versions,
            ViewportRoutes viewport,
            MemoryRoutes memories,
            KeyValueRoutes keyValues,
            SecretRoutes secrets,
            ModelRoutes models,
            SessionRoutes sessions,
            NotKeptRoutes notKept) {
        var page = new RoutePage(service, guards);
        for (var what : NotKept.values()) {
            page.get(what.path(), WORKSPACE, ctx -> notKept.list(ctx, what))
                    .post(what.path(), WORKSPACE, ctx -> notKept.make(ctx, what));
        }
        return page.route(POST, "/workspaces", ADMIN, LARGE_BODY_MAX_BYTES, workspaces::create)
                .get("/workspaces", ADMIN, workspaces::list)
                .get("/workspaces/:id", CREDENTIAL, workspaces::get)
                .patch("/workspaces/:id", WORKSPACE, workspaces::patch)
                .delete("/workspaces/:id", ADMIN, removals::remove)
                .post("/workspaces/:id/admit", ADMIN, workspaces::admit)
                .post("/workspaces/:id/move", ADMIN, moves::move)
                .post("/workspaces/:id/quarantine", ADMIN, quarantine::quarantine)
                .delete("/workspaces/:id/quarantine", ADMIN, quarantine::release)
                .post("/invitations", ADMIN, invitations::create)
                .get("/invitations", ADMIN, invitations::list)
                .delete("/invitations/:id", ADMIN, invitations::revoke)
                .get("/workspaces/:id/state", HANDLER, workspaces::state)
                .get("/workspaces/:id/.well-known/agent-card.json", HANDLER, cards::card)
                .get("/workspaces/:id/.well-known/agent.json", HANDLER, cards::card)
                .get("/.well-known/agent-card.json", HANDLER, cards::organisation)
                .get("/.well-known/agents", HANDLER, cards::catalog)
                .get("/workspaces/:id/tokens", WORKSPACE, tokens::list)
                .post("/workspaces/:id/tokens", WORKSPACE, tokens::create)
                .delete("/workspaces/:id/tokens/:tokenId", WORKSPACE, tokens::revoke)
                .get("/workspaces/:id/memories", WORKSPACE, memories::list)
                .route(POST, "/workspaces/:id/memories", WORKSPACE, LARGE_BODY_MAX_BYTES, memories::commit)
                .delete("/workspaces/:id/memories/:memoryId", WORKSPACE, memories::delete)
                .get("/workspaces/:id/memory", WORKSPACE, keyValues::list)
                .route(POST, "/workspaces/:id/memory", WORKSPACE, LARGE_BODY_MAX_BYTES, keyValues::put)
                .get("/workspaces/:id/memory/:key", WORKSPACE, keyValues::get)
                .delete("/workspaces/:id/memory/:key", WORKSPACE, keyValues::delete)
                .get("/workspaces/:id/approvals", WORKSPACE, approvals::list)
                .post("/workspaces/:id/approvals", WORKSPACE, approvals::request)
                .post("/workspaces/:id/approvals/:approvalId/decide", WORKSPACE, approvals::decide)
                .delete("/workspaces/:id/approvals/:approvalId/decide", WORKSPACE, approvals::retract)
                .get("/approvals/pending", ADMIN, approvals::pending)
                .get("/workspaces/:id/budget", WORKSPACE, budgets::get)
                .patch("/workspaces/:id/budget", ADMIN, budgets::patch)
                .get("/workspaces/:id/config", WORKSPACE, configs::get)
                .route(PATCH, "/workspaces/:id/config", WORKSPACE, LARGE_BODY_MAX_BYTES, configs::patch)
                .get("/workspaces/:id/versions", WORKSPACE, versions::list)
                .get("/workspaces/:id/versions/:n", WORKSPACE, versions::get)
                .post("/workspaces/:id/versions/:n/restore", ADMIN, versions::restore)
                .get("/org/tokens", ADMIN, orgTokens::list)
                .post("/org/tokens", ADMIN, orgTokens::create)
                .delete("/org/tokens/:id", ADMIN, orgTokens::revoke)
                .get("/admin/workspaces/:id/test-token", HANDLER, tokens::testToken)
                .route(POST, "/registry/register", HANDLER, CARD_BODY_MAX_BYTES, registrations::register)
                .route(POST, "/registry/heartbeat", HANDLER, CARD_BODY_MAX_BYTES, heartbeats::beat)
                .route(POST, "/registry/update-card", HANDLER, CARD_BODY_MAX_BYTES, registrations::updateCard)
                .get("/registry/discover/:id", HANDLER, discovery::discover)
                .get("/registry/:id/peers", HANDLER, discovery::peers)
                .post("/registry/check-access", CREDENTIAL, discovery::checkAccess)
                .get("/session", HANDLER, sessions::show)
                .post("/session", HANDLER, sessions::open)
                .delete("/session", HANDLER, sessions::end)
                .get("/canvas/viewport", CREDENTIAL, viewport::get)
                .put("/canvas/viewport", CANVAS_OR_BEARER, viewport::save)
                .get("/workspaces/:id/secrets", WORKSPACE, secrets::list)
                .route(POST, "/workspaces/:id/secrets", WORKSPACE, LARGE_BODY_MAX_BYTES, secrets::set)
                .route(PUT, "/workspaces/:id/secrets", WORKSPACE, LARGE_BODY_MAX_BYTES, secrets::set)
                .get("/workspaces/:id/secrets/values", WORKSPACE, secrets::values)
                .delete("/workspaces/:id/secrets/:key", WORKSPACE, secrets::delete)
                .get("/workspaces/:id/model", WORKSPACE, models::get)
                .put("/workspaces/:id/model", WORKSPACE, models::put)
                .get("/settings/secrets", ADMIN, secrets::listGlobal)
                .route(PUT, "/settings/secrets", ADMIN, LARGE_BODY_MAX_BYTES, secrets::setGlobal)
                .route(POST, "/settings/secrets", ADMIN, LARGE_BODY_MAX_BYTES, secrets::setGlobal)
                .delete("/settings/secrets/:key", ADMIN, secrets::deleteGlobal)
                .get("/admin/secrets", ADMIN, secrets::listGlobal)
                .route(POST, "/admin/secrets", ADMIN, LARGE_BODY_MAX_BYTES, secrets::setGlobal)
                .delete("/admin/secrets/:key", ADMIN, secrets::deleteGlobal)
                .post("/admin/secrets/rotate", ADMIN, secrets::rotate);
    }
}
