package ai.molecule.registry;

import static ai.molecule.common.auth.Guard.ADMIN;
import static ai.molecule.common.auth.Guard.ADMITTED;
import static ai.molecule.common.auth.Guard.CANVAS_OR_BEARER;
import static ai.molecule.common.auth.Guard.CREDENTIAL;
import static ai.molecule.common.auth.Guard.HANDLER;
import static ai.molecule.common.auth.Guard.LISTING;
import static ai.molecule.common.auth.Guard.LOOKING;
import static ai.molecule.common.auth.Guard.OPEN;
import static ai.molecule.common.auth.Guard.OWNER;
import static ai.molecule.common.auth.Guard.PERSON;
import static ai.molecule.common.auth.Guard.WORKSPACE;
import static ai.molecule.common.auth.Reach.BRANCH;
import static ai.molecule.common.auth.Reach.CALLER;
import static ai.molecule.common.auth.Reach.NOTHING;
import static ai.molecule.common.auth.Reach.ONE_WORKSPACE;
import static ai.molecule.common.auth.Reach.ORGANISATION;
import static ai.molecule.common.auth.Reach.TENANT;
import static ai.molecule.common.http.RoutePage.LARGE_BODY_MAX_BYTES;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.ClientLimit;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.http.RuledTools;
import ai.molecule.common.http.SessionCookie;
import ai.molecule.common.policy.PolicyVerdicts;
import ai.molecule.common.redis.FixedWindow;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.registry.approvals.ApprovalExportRoutes;
import ai.molecule.registry.approvals.ApprovalRoutes;
import ai.molecule.registry.budgets.BudgetRoutes;
import ai.molecule.registry.canvas.ViewportRoutes;
import ai.molecule.registry.cards.CardRoutes;
import ai.molecule.registry.cards.CardSignatures;
import ai.molecule.registry.chats.ChatRoutes;
import ai.molecule.registry.configs.ConfigRoutes;
import ai.molecule.registry.deciders.ApprovalRuleRoutes;
import ai.molecule.registry.devices.DeviceRoutes;
import ai.molecule.registry.discovery.DiscoveryRoutes;
import ai.molecule.registry.discovery.Strangers;
import ai.molecule.registry.explanations.ExplanationRoutes;
import ai.molecule.registry.heartbeats.HeartbeatRoutes;
import ai.molecule.registry.hibernation.HibernationRoutes;
import ai.molecule.registry.instructions.InstructionRoutes;
import ai.molecule.registry.invitations.InvitationRoutes;
import ai.molecule.registry.keys.KeyRoutes;
import ai.molecule.registry.keyvalues.KeyValueRoutes;
import ai.molecule.registry.lifecycle.QuarantineRoutes;
import ai.molecule.registry.lifecycle.RemovalRoutes;
import ai.molecule.registry.memories.MemoryRoutes;
import ai.molecule.registry.notkept.NotKept;
import ai.molecule.registry.notkept.NotKeptRoutes;
import ai.molecule.registry.orgtokens.OrgTokenRoutes;
import ai.molecule.registry.passports.PassportRoutes;
import ai.molecule.registry.passports.RevocationRoutes;
import ai.molecule.registry.people.PeopleRoutes;
import ai.molecule.registry.policy.PolicyRoutes;
import ai.molecule.registry.registrations.RegistrationRoutes;
import ai.molecule.registry.secrets.ModelRoutes;
import ai.molecule.registry.secrets.SecretRoutes;
import ai.molecule.registry.sessions.SessionRoutes;
import ai.molecule.registry.signins.SignInRoutes;
import ai.molecule.registry.tenants.TenantRoutes;
import ai.molecule.registry.tokens.TokenRoutes;
import ai.molecule.registry.versions.VersionRoutes;
import ai.molecule.registry.workspaces.MoveRoutes;
import ai.molecule.registry.workspaces.StartTimes;
import ai.molecule.registry.workspaces.TemplateDefaults;
import ai.molecule.registry.workspaces.WorkspaceRoutes;
import java.time.Clock;
import java.time.Duration;

/** Every route of the registry with its guard. */
public final class RegistryRouter {

    /** What an agent says of itself: a card of 64 KiB, escaped, and its address; an error and a task in its own words. */
    private static final long CARD_BODY_MAX_BYTES = 256 * 1024;

    private static final int ORG_TOKENS_PER_HOUR = 10;
    private static final int SESSION_TRIES_PER_MINUTE = 20;

    /** Wrong ones, from wherever they come: whoever has many addresses guesses no faster. */
    private static final int PASSWORDS_PER_LOGIN = 20;

    private static final Duration PASSWORD_WINDOW = Duration.ofMinutes(15);
    private static final int DEVICES_PER_MINUTE = 10;

    private RegistryRouter() {}

    static RoutePage page(ServiceContext service, RegistryConfig config, RegistryServices registry, Clock clock) {
        var platform = config.platform();
        var edge = new Edge(platform);
        var acting = new Acting(edge);
        var workspaces = new WorkspaceRoutes(
                registry.workspaces,
                registry.externals::added,
                registry.secrets::outdated,
                new TemplateDefaults(service.bus()),
                new StartTimes(service.bus()),
                registry.guards,
                edge,
                platform,
                registry.frontDoor,
                new Strangers(registry.near),
                config.externalPlatformUrl());
        var moves = new MoveRoutes(registry.moves);
        var invitations = new InvitationRoutes(registry.invitations, registry.guards);
        var removals = new RemovalRoutes(registry.lifecycle);
        var quarantine = new QuarantineRoutes(registry.lifecycle);
        var registrations = new RegistrationRoutes(registry.registrations, acting);
        var heartbeats = new HeartbeatRoutes(registry.heartbeats);
        var discovery = new DiscoveryRoutes(registry.discovery, edge);
        var explanations = new ExplanationRoutes(registry.explanations, registry.passports, registry.guards);
        var passports = new PassportRoutes(registry.passports, registry.guards, clock);
        var cards = new CardRoutes(
                registry.cards,
                registry.near,
                registry.guards,
                platform,
                registry.frontDoor,
                new CardSignatures(registry.issuer));
        var revocations = new RevocationRoutes(registry.passports);
        var keys = new KeyRoutes(registry.keys);
        var tokens = new TokenRoutes(registry.tokens, platform, acting);
        var mints = limit(service, platform, clock, "org-tokens", ORG_TOKENS_PER_HOUR, Duration.ofHours(1));
        var orgTokens = new OrgTokenRoutes(registry.orgTokens, mints);
        var approvals = new ApprovalRoutes(registry.approvals, registry.awaitedApprovals, registry.passports, platform);
        var exports = new ApprovalExportRoutes(registry.approvals);
        var approvalRules = new ApprovalRuleRoutes(registry.approvalRules);
        var budgets = new BudgetRoutes(registry.budgets, registry.announcements, service.bus(), clock);
        var configs = new ConfigRoutes(registry.configs, config.quotas().configBytesMax(), clock);
        var versions = new VersionRoutes(registry.versions);
        var hibernation = new HibernationRoutes(registry.hibernation.store());
        var instructions = new InstructionRoutes(registry.instructions, registry.guards, clock);
        var tenants = new TenantRoutes(registry.tenants);
        var policy = new PolicyRoutes(registry.policy, registry.guards);
        var viewport = new ViewportRoutes(registry.viewport);
        var memories = new MemoryRoutes(registry.memories);
        var keyValues = new KeyValueRoutes(registry.keyValues);
        var secrets = new SecretRoutes(registry.secrets, registry.guards, acting);
        var models = new ModelRoutes(registry.secrets);
        var tries = limit(service, platform, clock, "sessions", SESSION_TRIES_PER_MINUTE, Duration.ofMinutes(1));
        var cookie = new SessionCookie(platform, edge);
        var sessions = new SessionRoutes(
                registry.sessions,
                registry.people,
                registry.signIns,
                cookie,
                tries,
                new FixedWindow(
                        service.redis(),
                        service.sharedWindows(),
                        clock,
                        "passwords",
                        PASSWORDS_PER_LOGIN,
                        PASSWORD_WINDOW),
                acting);
        String external = config.externalPlatformUrl();
        var links = limit(service, platform, clock, "people-links", SESSION_TRIES_PER_MINUTE, Duration.ofMinutes(1));
        var people = new PeopleRoutes(registry.people, sessions, cookie, registry.guards, acting, links, external);
        var begun = limit(service, platform, clock, "sign-ins", SESSION_TRIES_PER_MINUTE, Duration.ofMinutes(1));
        var signIns = new SignInRoutes(registry.signIns, sessions, cookie, begun, acting, external);
        var devices = new DeviceRoutes(
                registry.devices,
                registry.guards,
                acting,
                limit(service, platform, clock, "devices", DEVICES_PER_MINUTE, Duration.ofMinutes(1)),
                limit(service, platform, clock, "device-codes", DEVICES_PER_MINUTE, Duration.ofMinutes(1)),
                external);
        var chats = new ChatRoutes(registry.chats, registry.guards);
        var notKept = new NotKeptRoutes();

        var page = new RoutePage(service, registry.guards)
                .first(new RuledTools(registry.guards.credentials(), new PolicyVerdicts(service.bus()), edge));
        for (var what : NotKept.values()) {
            page.get(what.path(), WORKSPACE, ctx -> notKept.list(ctx, what))
                    .post(what.path(), WORKSPACE, NOTHING, ctx -> notKept.make(ctx, what));
        }
        return page.route(POST, "/workspaces", ADMIN, ORGANISATION, LARGE_BODY_MAX_BYTES, workspaces::create)
                .get("/workspaces", LISTING, workspaces::list)
                .get("/workspaces/:id", CREDENTIAL, workspaces::get)
                .patch("/workspaces/:id", WORKSPACE, ORGANISATION, workspaces::patch)
                .delete("/workspaces/:id", ADMIN, BRANCH, removals::remove)
                .post("/workspaces/:id/admit", ADMIN, ONE_WORKSPACE, workspaces::admit)
                .put("/workspaces/:id/tenant", ADMIN, ORGANISATION, workspaces::giveToTenant)
                .post("/workspaces/:id/move", ADMIN, ORGANISATION, moves::move)
                .post("/workspaces/:id/quarantine", ADMIN, BRANCH, quarantine::quarantine)
                .delete("/workspaces/:id/quarantine", ADMIN, BRANCH, quarantine::release)
                .post("/invitations", LISTING, ORGANISATION, invitations::create)
                .get("/invitations", LISTING, invitations::list)
                .delete("/invitations/:id", LISTING, ORGANISATION, invitations::revoke)
                .get("/workspaces/:id/state", HANDLER, workspaces::state)
                .get("/workspaces/:id/.well-known/agent-card.json", HANDLER, cards::card)
                .get("/workspaces/:id/.well-known/agent.json", HANDLER, cards::card)
                .get("/.well-known/agent-card.json", HANDLER, cards::organisation)
                .get("/.well-known/agents", HANDLER, cards::catalog)
                .get("/.well-known/jwks.json", OPEN, keys::publish)
                .post("/admin/keys/rotate", OWNER, ORGANISATION, keys::rotate)
                .post("/token", HANDLER, NOTHING, passports::exchange)
                .post("/passports/revocations", ADMIN, ORGANISATION, revocations::revoke)
                .get("/passports/revocations", ADMIN, revocations::list)
                .get("/workspaces/:id/tokens", WORKSPACE, tokens::list)
                .post("/workspaces/:id/tokens", WORKSPACE, ONE_WORKSPACE, tokens::create)
                .delete("/workspaces/:id/tokens/:tokenId", WORKSPACE, ONE_WORKSPACE, tokens::revoke)
                .get("/workspaces/:id/memories", WORKSPACE, memories::list)
                .route(POST, "/workspaces/:id/memories", WORKSPACE, TENANT, LARGE_BODY_MAX_BYTES, memories::commit)
                .delete("/workspaces/:id/memories/:memoryId", WORKSPACE, ONE_WORKSPACE, memories::delete)
                .get("/workspaces/:id/memory", WORKSPACE, keyValues::list)
                .route(POST, "/workspaces/:id/memory", WORKSPACE, ONE_WORKSPACE, LARGE_BODY_MAX_BYTES, keyValues::put)
                .get("/workspaces/:id/memory/:key", WORKSPACE, keyValues::get)
                .delete("/workspaces/:id/memory/:key", WORKSPACE, ONE_WORKSPACE, keyValues::delete)
                .get("/workspaces/:id/approvals", WORKSPACE, approvals::list)
                .post("/workspaces/:id/approvals", ADMITTED, ONE_WORKSPACE, approvals::request)
                .get("/workspaces/:id/approvals/:approvalId", WORKSPACE, approvals::get)
                .post("/workspaces/:id/approvals/:approvalId/decide", WORKSPACE, ONE_WORKSPACE, approvals::decide)
                .delete("/workspaces/:id/approvals/:approvalId/decide", WORKSPACE, ONE_WORKSPACE, approvals::retract)
                .get("/approvals/pending", LISTING, approvals::pending)
                .get("/approvals/export", LISTING, exports::export)
                .get("/approvals/rules", ADMIN, approvalRules::list)
                .put("/approvals/rules/:name", OWNER, ORGANISATION, approvalRules::put)
                .delete("/approvals/rules/:name", OWNER, ORGANISATION, approvalRules::delete)
                .get("/workspaces/:id/budget", WORKSPACE, budgets::get)
                .patch("/workspaces/:id/budget", ADMIN, BRANCH, budgets::patch)
                .get("/workspaces/:id/hibernation", WORKSPACE, hibernation::get)
                .patch("/workspaces/:id/hibernation", ADMIN, ONE_WORKSPACE, hibernation::patch)
                .get("/workspaces/:id/config", WORKSPACE, configs::get)
                .route(PATCH, "/workspaces/:id/config", WORKSPACE, ONE_WORKSPACE, LARGE_BODY_MAX_BYTES, configs::patch)
                .get("/workspaces/:id/versions", WORKSPACE, versions::list)
                .get("/workspaces/:id/versions/:n", WORKSPACE, versions::get)
                .post("/workspaces/:id/versions/:n/restore", ADMIN, ONE_WORKSPACE, versions::restore)
                .get("/org/tokens", OWNER, orgTokens::list)
                .post("/org/tokens", OWNER, ORGANISATION, orgTokens::create)
                .delete("/org/tokens/:id", OWNER, ORGANISATION, orgTokens::revoke)
                .get("/instructions", LISTING, instructions::list)
                .route(POST, "/instructions", LISTING, ORGANISATION, LARGE_BODY_MAX_BYTES, instructions::create)
                .route(PUT, "/instructions/:id", LISTING, ORGANISATION, LARGE_BODY_MAX_BYTES, instructions::change)
                .delete("/instructions/:id", LISTING, ORGANISATION, instructions::delete)
                .get("/tenants", ADMIN, tenants::list)
                .patch("/tenants/:name/budget", OWNER, TENANT, tenants::limit)
                .get("/policy", ADMIN, policy::list)
                .put("/policy/:name", ADMIN, ORGANISATION, policy::put)
                .delete("/policy/:name", ADMIN, ORGANISATION, policy::delete)
                .post("/policy/test", LOOKING, NOTHING, policy::test)
                .get("/workspaces/:id/policy", ADMIN, policy::listOf)
                .put("/workspaces/:id/policy/:name", ADMIN, BRANCH, policy::putOf)
                .delete("/workspaces/:id/policy/:name", ADMIN, BRANCH, policy::deleteOf)
                .post("/workspaces/:id/policy/test", LOOKING, NOTHING, policy::testOf)
                .get("/workspaces/:id/instructions/resolve", WORKSPACE, instructions::resolve)
                .get("/admin/workspaces/:id/test-token", HANDLER, tokens::testToken)
                .route(POST, "/registry/register", HANDLER, ONE_WORKSPACE, CARD_BODY_MAX_BYTES, registrations::register)
                .route(POST, "/registry/heartbeat", HANDLER, ONE_WORKSPACE, CARD_BODY_MAX_BYTES, heartbeats::beat)
                .route(
                        POST,
                        "/registry/update-card",
                        HANDLER,
                        ONE_WORKSPACE,
                        CARD_BODY_MAX_BYTES,
                        registrations::updateCard)
                .get("/registry/discover/:id", HANDLER, discovery::discover)
                .get("/registry/:id/peers", HANDLER, discovery::peers)
                .post("/registry/check-access", CREDENTIAL, NOTHING, discovery::checkAccess)
                .get("/explain", LISTING, explanations::explain)
                .get("/session", HANDLER, sessions::show)
                .post("/session", HANDLER, CALLER, sessions::open)
                .delete("/session", HANDLER, CALLER, sessions::end)
                .get("/sessions", PERSON, sessions::list)
                .delete("/sessions/:id", PERSON, CALLER, sessions::endOne)
                .get("/people", ADMIN, people::list)
                .post("/people", OWNER, ORGANISATION, people::invite)
                .post("/people/accept", HANDLER, CALLER, people::accept)
                .post("/people/first-owner", OWNER, ORGANISATION, people::linkForFirstOwner)
                .get("/people/me", PERSON, people::me)
                .post("/people/me/password", PERSON, CALLER, people::changePassword)
                .get("/people/me/tokens", PERSON, people::tokens)
                .post("/people/me/tokens", PERSON, CALLER, people::mint)
                .delete("/people/me/tokens/:tokenId", PERSON, CALLER, people::revoke)
                .post("/people/me/chats", PERSON, CALLER, chats::code)
                .patch("/people/:id", OWNER, ORGANISATION, people::change)
                .delete("/people/:id", OWNER, ORGANISATION, people::remove)
                .post("/people/:id/link", OWNER, ORGANISATION, people::link)
                .get("/people/:id/sessions", OWNER, sessions::listOfPerson)
                .delete("/people/:id/sessions", OWNER, ORGANISATION, sessions::endOfPerson)
                .get("/people/:id/tokens", OWNER, people::tokensOfPerson)
                .delete("/people/:id/tokens/:tokenId", OWNER, ORGANISATION, people::revokeOfPerson)
                .post("/sign-in/:provider", HANDLER, CALLER, signIns::begin)
                .get("/sign-in/:provider/callback", HANDLER, signIns::end)
                .post("/sign-in/:provider/back-channel-logout", HANDLER, CALLER, signIns::signedOut)
                .post("/device/code", HANDLER, CALLER, devices::begin)
                .post("/device/token", HANDLER, CALLER, devices::token)
                .get("/device/requests/:code", PERSON, devices::show)
                .post("/device/requests/:code", PERSON, CALLER, devices::decide)
                .get("/canvas/viewport", CREDENTIAL, viewport::get)
                .put("/canvas/viewport", CANVAS_OR_BEARER, ORGANISATION, viewport::save)
                .get("/workspaces/:id/secrets", WORKSPACE, secrets::list)
                .route(POST, "/workspaces/:id/secrets", WORKSPACE, ONE_WORKSPACE, LARGE_BODY_MAX_BYTES, secrets::set)
                .route(PUT, "/workspaces/:id/secrets", WORKSPACE, ONE_WORKSPACE, LARGE_BODY_MAX_BYTES, secrets::set)
                .get("/workspaces/:id/secrets/values", WORKSPACE, secrets::values)
                .delete("/workspaces/:id/secrets/:key", WORKSPACE, ONE_WORKSPACE, secrets::delete)
                .get("/workspaces/:id/model", WORKSPACE, models::get)
                .put("/workspaces/:id/model", WORKSPACE, ONE_WORKSPACE, models::put)
                .get("/settings/secrets", ADMIN, secrets::listGlobal)
                .route(PUT, "/settings/secrets", OWNER, ORGANISATION, LARGE_BODY_MAX_BYTES, secrets::setGlobal)
                .route(POST, "/settings/secrets", OWNER, ORGANISATION, LARGE_BODY_MAX_BYTES, secrets::setGlobal)
                .delete("/settings/secrets/:key", OWNER, ORGANISATION, secrets::deleteGlobal)
                .get("/admin/secrets", ADMIN, secrets::listGlobal)
                .route(POST, "/admin/secrets", OWNER, ORGANISATION, LARGE_BODY_MAX_BYTES, secrets::setGlobal)
                .delete("/admin/secrets/:key", OWNER, ORGANISATION, secrets::deleteGlobal)
                .post("/admin/secrets/rotate", OWNER, ORGANISATION, secrets::rotate);
    }

    private static ClientLimit limit(
            ServiceContext service, PlatformConfig platform, Clock clock, String what, int max, Duration window) {
        return new ClientLimit(platform, service.redis(), service.sharedWindows(), clock, what, max, window);
    }
}
