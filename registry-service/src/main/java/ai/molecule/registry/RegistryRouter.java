package ai.molecule.registry;

import static ai.molecule.common.auth.Guard.ADMIN;
import static ai.molecule.common.auth.Guard.CANVAS_OR_BEARER;
import static ai.molecule.common.auth.Guard.CREDENTIAL;
import static ai.molecule.common.auth.Guard.HANDLER;
import static ai.molecule.common.auth.Guard.WORKSPACE;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.registry.approvals.ApprovalRoutes;
import ai.molecule.registry.budgets.BudgetRoutes;
import ai.molecule.registry.canvas.ViewportRoutes;
import ai.molecule.registry.configs.ConfigRoutes;
import ai.molecule.registry.discovery.DiscoveryRoutes;
import ai.molecule.registry.heartbeats.HeartbeatRoutes;
import ai.molecule.registry.invitations.InvitationRoutes;
import ai.molecule.registry.keyvalues.KeyValueRoutes;
import ai.molecule.registry.lifecycle.QuarantineRoutes;
import ai.molecule.registry.lifecycle.RemovalRoutes;
import ai.molecule.registry.memories.MemoryRoutes;
import ai.molecule.registry.model.ModelRoutes;
import ai.molecule.registry.notkept.NotKept;
import ai.molecule.registry.notkept.NotKeptRoutes;
import ai.molecule.registry.orgtokens.OrgTokenRoutes;
import ai.molecule.registry.registrations.RegistrationRoutes;
import ai.molecule.registry.secrets.SecretRoutes;
import ai.molecule.registry.sessions.SessionRoutes;
import ai.molecule.registry.tokens.TokenRoutes;
import ai.molecule.registry.workspaces.WorkspaceRoutes;
import io.vertx.core.http.HttpMethod;

/** Every route of the registry with its guard. */
public final class RegistryRouter {

    /** A page of fifty of them is one answer. */
    private static final long APPROVAL_MAX_BYTES = 64 * 1024;

    private RegistryRouter() {}

    static RoutePage page(
            ServiceContext service,
            Guards guards,
            WorkspaceRoutes workspaces,
            InvitationRoutes invitations,
            RemovalRoutes removals,
            QuarantineRoutes quarantine,
            RegistrationRoutes registrations,
            HeartbeatRoutes heartbeats,
            DiscoveryRoutes discovery,
            TokenRoutes tokens,
            OrgTokenRoutes orgTokens,
            ApprovalRoutes approvals,
            BudgetRoutes budgets,
            ConfigRoutes configs,
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
        return page.post("/workspaces", ADMIN, workspaces::create)
                .get("/workspaces", ADMIN, workspaces::list)
                .get("/workspaces/:id", CREDENTIAL, workspaces::get)
                .patch("/workspaces/:id", WORKSPACE, workspaces::patch)
                .delete("/workspaces/:id", ADMIN, removals::remove)
                .post("/workspaces/:id/admit", ADMIN, workspaces::admit)
                .post("/workspaces/:id/quarantine", ADMIN, quarantine::quarantine)
                .delete("/workspaces/:id/quarantine", ADMIN, quarantine::release)
                .post("/invitations", ADMIN, invitations::create)
                .get("/invitations", ADMIN, invitations::list)
                .delete("/invitations/:id", ADMIN, invitations::revoke)
                .get("/workspaces/:id/state", HANDLER, workspaces::state)
                .get("/workspaces/:id/tokens", WORKSPACE, tokens::list)
                .post("/workspaces/:id/tokens", WORKSPACE, tokens::create)
                .delete("/workspaces/:id/tokens/:tokenId", WORKSPACE, tokens::revoke)
                .get("/workspaces/:id/memories", WORKSPACE, memories::list)
                .post("/workspaces/:id/memories", WORKSPACE, memories::commit)
                .delete("/workspaces/:id/memories/:memoryId", WORKSPACE, memories::delete)
                .get("/workspaces/:id/memory", WORKSPACE, keyValues::list)
                .post("/workspaces/:id/memory", WORKSPACE, keyValues::put)
                .get("/workspaces/:id/memory/:key", WORKSPACE, keyValues::get)
                .delete("/workspaces/:id/memory/:key", WORKSPACE, keyValues::delete)
                .get("/workspaces/:id/approvals", WORKSPACE, approvals::list)
                .route(HttpMethod.POST, "/workspaces/:id/approvals", WORKSPACE, APPROVAL_MAX_BYTES, approvals::request)
                .post("/workspaces/:id/approvals/:approvalId/decide", WORKSPACE, approvals::decide)
                .delete("/workspaces/:id/approvals/:approvalId/decide", WORKSPACE, approvals::retract)
                .get("/approvals/pending", ADMIN, approvals::pending)
                .get("/workspaces/:id/budget", WORKSPACE, budgets::get)
                .patch("/workspaces/:id/budget", ADMIN, budgets::patch)
                .get("/workspaces/:id/config", WORKSPACE, configs::get)
                .patch("/workspaces/:id/config", WORKSPACE, configs::patch)
                .get("/org/tokens", ADMIN, orgTokens::list)
                .post("/org/tokens", ADMIN, orgTokens::create)
                .delete("/org/tokens/:id", ADMIN, orgTokens::revoke)
                .get("/admin/workspaces/:id/test-token", HANDLER, tokens::testToken)
                .post("/registry/register", HANDLER, registrations::register)
                .post("/registry/heartbeat", HANDLER, heartbeats::beat)
                .post("/registry/update-card", HANDLER, registrations::updateCard)
                .get("/registry/discover/:id", HANDLER, discovery::discover)
                .get("/registry/:id/peers", HANDLER, discovery::peers)
                .post("/registry/check-access", CREDENTIAL, discovery::checkAccess)
                .get("/session", HANDLER, sessions::show)
                .post("/session", HANDLER, sessions::open)
                .delete("/session", HANDLER, sessions::end)
                .get("/canvas/viewport", CREDENTIAL, viewport::get)
                .put("/canvas/viewport", CANVAS_OR_BEARER, viewport::save)
                .get("/workspaces/:id/secrets", WORKSPACE, secrets::list)
                .post("/workspaces/:id/secrets", WORKSPACE, secrets::set)
                .put("/workspaces/:id/secrets", WORKSPACE, secrets::set)
                .get("/workspaces/:id/secrets/values", WORKSPACE, secrets::values)
                .delete("/workspaces/:id/secrets/:key", WORKSPACE, secrets::delete)
                .get("/workspaces/:id/model", WORKSPACE, models::get)
                .put("/workspaces/:id/model", WORKSPACE, models::put)
                .get("/settings/secrets", ADMIN, secrets::listGlobal)
                .put("/settings/secrets", ADMIN, secrets::setGlobal)
                .post("/settings/secrets", ADMIN, secrets::setGlobal)
                .delete("/settings/secrets/:key", ADMIN, secrets::deleteGlobal)
                .get("/admin/secrets", ADMIN, secrets::listGlobal)
                .post("/admin/secrets", ADMIN, secrets::setGlobal)
                .delete("/admin/secrets/:key", ADMIN, secrets::deleteGlobal)
                .post("/admin/secrets/rotate", ADMIN, secrets::rotate);
    }
}
