package ai.molecule.registry;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.hints.ApprovalsChanged;
import ai.molecule.common.config.Environment;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.Session;
import ai.molecule.common.db.Sql;
import ai.molecule.common.http.ClientLimit;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.http.SessionCookie;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.registry.approvals.ApprovalRoutes;
import ai.molecule.registry.approvals.ApprovalService;
import ai.molecule.registry.approvals.PgApprovalStore;
import ai.molecule.registry.budgets.BudgetLevels;
import ai.molecule.registry.budgets.BudgetRoutes;
import ai.molecule.registry.budgets.PgBudgetLevels;
import ai.molecule.registry.budgets.PgBudgetStore;
import ai.molecule.registry.canvas.PgViewportStore;
import ai.molecule.registry.canvas.ViewportRoutes;
import ai.molecule.registry.cards.CardRoutes;
import ai.molecule.registry.cards.PgCardStore;
import ai.molecule.registry.configs.ConfigRoutes;
import ai.molecule.registry.configs.PgConfigStore;
import ai.molecule.registry.discovery.DiscoveryRoutes;
import ai.molecule.registry.discovery.DiscoveryService;
import ai.molecule.registry.discovery.FrontDoorAddress;
import ai.molecule.registry.discovery.PeerBook;
import ai.molecule.registry.discovery.PgDiscoveryStore;
import ai.molecule.registry.endpoints.PgEndpointStore;
import ai.molecule.registry.freeze.EngineWitness;
import ai.molecule.registry.freeze.PgFreezeStore;
import ai.molecule.registry.freeze.RestartFreeze;
import ai.molecule.registry.heartbeats.HeartbeatRoutes;
import ai.molecule.registry.heartbeats.HeartbeatService;
import ai.molecule.registry.heartbeats.PgHeartbeatStore;
import ai.molecule.registry.invitations.InvitationRoutes;
import ai.molecule.registry.invitations.InvitationService;
import ai.molecule.registry.invitations.PgInvitationStore;
import ai.molecule.registry.keyvalues.KeyValueRoutes;
import ai.molecule.registry.keyvalues.KeyValueService;
import ai.molecule.registry.keyvalues.PgKeyValueStore;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.lifecycle.LifecycleService;
import ai.molecule.registry.lifecycle.PgLifecycleStore;
import ai.molecule.registry.lifecycle.QuarantineRoutes;
import ai.molecule.registry.lifecycle.RemovalRoutes;
import ai.molecule.registry.liveness.ExpiryNotifications;
import ai.molecule.registry.liveness.LifeRounds;
import ai.molecule.registry.liveness.LivenessSweep;
import ai.molecule.registry.liveness.PgLivenessStore;
import ai.molecule.registry.memories.MemoryRoutes;
import ai.molecule.registry.memories.MemoryService;
import ai.molecule.registry.memories.PgMemoryStore;
import ai.molecule.registry.notkept.NotKeptRoutes;
import ai.molecule.registry.orgtokens.OrgTokenRoutes;
import ai.molecule.registry.orgtokens.OrgTokenService;
import ai.molecule.registry.orgtokens.PgOrgTokenStore;
import ai.molecule.registry.registrations.AgentUrls;
import ai.molecule.registry.registrations.Enrolment;
import ai.molecule.registry.registrations.PgRegistrationStore;
import ai.molecule.registry.registrations.RegistrationRoutes;
import ai.molecule.registry.registrations.RegistrationService;
import ai.molecule.registry.restarts.PgRestartStore;
import ai.molecule.registry.restarts.RestartSweep;
import ai.molecule.registry.secrets.ModelRoutes;
import ai.molecule.registry.secrets.PgGlobalSecretStore;
import ai.molecule.registry.secrets.PgSecretReads;
import ai.molecule.registry.secrets.PgSecretRotation;
import ai.molecule.registry.secrets.PgSecretStore;
import ai.molecule.registry.secrets.SecretReads;
import ai.molecule.registry.secrets.SecretRoutes;
import ai.molecule.registry.secrets.SecretService;
import ai.molecule.registry.secrets.Vault;
import ai.molecule.registry.sessions.PgSessionStore;
import ai.molecule.registry.sessions.SessionRoutes;
import ai.molecule.registry.sessions.SessionService;
import ai.molecule.registry.suspicions.CardProbe;
import ai.molecule.registry.suspicions.PgSuspicionStore;
import ai.molecule.registry.suspicions.SilentAgents;
import ai.molecule.registry.tokens.BatchedVerdicts;
import ai.molecule.registry.tokens.PgTokenStore;
import ai.molecule.registry.tokens.TokenRoutes;
import ai.molecule.registry.tokens.TokenService;
import ai.molecule.registry.versions.PgVersionStore;
import ai.molecule.registry.versions.VersionRoutes;
import ai.molecule.registry.versions.VersionService;
import ai.molecule.registry.workspaces.MoveRoutes;
import ai.molecule.registry.workspaces.MoveService;
import ai.molecule.registry.workspaces.PgMoves;
import ai.molecule.registry.workspaces.PgWorkspaceCreation;
import ai.molecule.registry.workspaces.PgWorkspaceQuota;
import ai.molecule.registry.workspaces.PgWorkspaceStore;
import ai.molecule.registry.workspaces.StartTimes;
import ai.molecule.registry.workspaces.TemplateDefaults;
import ai.molecule.registry.workspaces.WorkspaceRoutes;
import ai.molecule.registry.workspaces.WorkspaceService;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Composition root: the only class that knows which stores, clock and timers the registry runs with. */
public final class RegistryVerticle extends VerticleBase {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final int ORG_TOKENS_PER_HOUR = 10;
    private static final int SESSION_TRIES_PER_MINUTE = 20;

    /** Renewed every second; with this another replica takes over within 8 s of a death or standstill. */
    private static final Duration CLAIMED_FOR = Duration.ofSeconds(6);

    /** Longer than any statement may take. */
    /** How late a person may hear of a budget. */
    private static final Duration BUDGETS_EVERY = Duration.ofSeconds(3);

    private static final Duration RUN_MAX = Duration.ofSeconds(12);

    /** What a stop waits for a run under way. */
    private static final long LAST_RUN_SECONDS = 2;

    private final RegistryConfig config;
    private final Clock clock;
    private final List<Supplier<Future<?>>> closing = new ArrayList<>();
    private Supplier<Future<?>> finishing = Future::succeededFuture;
    private @Nullable HttpServer server;
    private @Nullable RoutePage page;

    public RegistryVerticle(RegistryConfig config) {
        this(config, Clock.systemUTC());
    }

    RegistryVerticle(RegistryConfig config, Clock clock) {
        this.config = config;
        this.clock = clock;
    }

    @Override
    public Future<?> start() {
        return ServiceContext.open(vertx, config.platform(), "registry").compose(this::serve);
    }

    @Override
    public Future<?> stop() {
        Future<?> stopped = finishing.get();
        for (var close : closing) {
            stopped = stopped.eventually(() -> close.get());
        }
        return stopped;
    }

    /** The port really listened on, once deployed. */
    public int actualPort() {
        return server == null ? 0 : server.actualPort();
    }

    /** Every route with its guard, once deployed. */
    public List<RoutePage.Entry> routes() {
        return page == null ? List.of() : page.entries();
    }

    private Future<?> serve(ServiceContext service) {
        var platform = config.platform();
        var heartbeatSession = session(service);
        var registrationRules =
                dialer(AddressRules.forRegistration(platform.saas()).opening(platform.agentNetworks()));
        boolean development = platform.environment() == Environment.DEVELOPMENT;
        var diallingRules =
                dialer(AddressRules.forDialling(development, platform.saas()).opening(platform.agentNetworks()));
        finishing = service::finish;
        closing.add(service::close);

        var bus = service.bus();
        var database = service.database();
        var searchPool = Postgres.searchPool(vertx, database.url(), "registry");
        var quotas = config.quotas();
        closing.add(searchPool::close);
        var announcements = new Announcements(bus, service.redis(), config.livenessTtl());
        var tokenStore = new PgTokenStore(database);
        var tokens = new TokenService(tokenStore, bus, clock);
        var verdicts = new BatchedVerdicts(tokens, tokenStore, clock, context);
        var guards = new Guards(platform, tokens);
        var vault = new Vault(config.encryptionKey(), config.oldEncryptionKeys());
        var secretStore = new PgSecretStore(database, vault);
        var secrets = new SecretService(
                secretStore,
                new PgGlobalSecretStore(database, vault),
                new PgSecretRotation(database, vault),
                new SecretReads(new PgSecretReads(database)),
                vault,
                guards,
                clock,
                config.providerSecrets(),
                platform.environment() == Environment.PRODUCTION);
        var places = new PgWorkspaceQuota(config.childrenMax(), config.workspacesMax());
        var creation = new PgWorkspaceCreation(secretStore, places);
        var workspaceStore = new PgWorkspaceStore(database, places, creation, context);
        var workspaces = new WorkspaceService(workspaceStore, config.runtimes(), tokens, guards, announcements, clock);
        var versions = new VersionService(
                database, new PgVersionStore(database), workspaceStore, secretStore, announcements, bus, clock);
        var invitationStore = new PgInvitationStore(database, creation);
        var invitations = new InvitationService(invitationStore, clock);
        var freeze = new RestartFreeze(new PgFreezeStore(database), () -> EngineWitness.isWell(bus));
        var lifecycle = new LifecycleService(new PgLifecycleStore(database), tokens, announcements, freeze, clock);
        var restarts = new RestartSweep(new PgRestartStore(database), lifecycle, clock);
        var enrolment = Enrolment.of(platform);
        var registrations = new RegistrationService(
                new PgRegistrationStore(database, enrolment, invitationStore, places),
                enrolment,
                new AgentUrls(registrationRules),
                tokens,
                guards,
                announcements,
                clock);
        var near = new PgDiscoveryStore(database, context);
        var frontDoor = FrontDoorAddress.of(config);
        var peers = new PeerBook(near, frontDoor, bus);
        announcements.tellFirst(peers::changed);
        var heartbeats = new HeartbeatService(
                vertx,
                new PgHeartbeatStore(heartbeatSession),
                tokens,
                new Guards(platform, verdicts),
                announcements,
                peers,
                bus,
                clock);
        var discovery = new DiscoveryService(near, peers, guards, diallingRules, frontDoor);
        var endpoints = new PgEndpointStore(database, announcements, clock);
        var memories = new MemoryService(
                new PgMemoryStore(database, Sql.of(searchPool), quotas.memories(), new ActivityLog(bus, clock)), clock);
        var approvals = new ApprovalService(
                new PgApprovalStore(database),
                config.pendingApprovalsMax(),
                clock,
                () -> bus.publish(ApprovalsChanged.HINT, new ApprovalsChanged()));
        var keyValues = new KeyValueService(new PgKeyValueStore(database, quotas.keyValues()), clock);
        var sessions = new SessionService(new PgSessionStore(database), tokens, platform.adminToken(), clock);
        var budgets = new PgBudgetStore(database);
        var life = life(service, announcements, freeze);

        page = RegistryRouter.page(
                service,
                guards,
                new WorkspaceRoutes(
                        workspaces,
                        new TemplateDefaults(bus),
                        new StartTimes(bus),
                        guards,
                        new Edge(platform),
                        platform,
                        frontDoor,
                        config.externalPlatformUrl()),
                new MoveRoutes(new MoveService(new PgMoves(database, places), workspaces, bus)),
                new InvitationRoutes(invitations),
                new RemovalRoutes(lifecycle),
                new QuarantineRoutes(lifecycle),
                new RegistrationRoutes(registrations),
                new HeartbeatRoutes(heartbeats),
                new DiscoveryRoutes(discovery, new Edge(platform)),
                new CardRoutes(new PgCardStore(database), near, guards, platform, frontDoor),
                new TokenRoutes(tokens, platform),
                new OrgTokenRoutes(
                        new OrgTokenService(new PgOrgTokenStore(database), tokens, clock),
                        new ClientLimit(
                                platform,
                                service.redis(),
                                service.sharedWindows(),
                                clock,
                                "org-tokens",
                                ORG_TOKENS_PER_HOUR,
                                Duration.ofHours(1))),
                new ApprovalRoutes(approvals, platform),
                new BudgetRoutes(budgets, announcements, clock),
                new ConfigRoutes(new PgConfigStore(database), quotas.configBytesMax(), clock),
                new VersionRoutes(versions),
                new ViewportRoutes(new PgViewportStore(database)),
                new MemoryRoutes(memories),
                new KeyValueRoutes(keyValues),
                new SecretRoutes(secrets),
                new ModelRoutes(secrets),
                new SessionRoutes(
                        sessions,
                        new SessionCookie(platform, new Edge(platform)),
                        new ClientLimit(
                                platform,
                                service.redis(),
                                service.sharedWindows(),
                                clock,
                                "sessions",
                                SESSION_TRIES_PER_MINUTE,
                                Duration.ofMinutes(1))),
                new NotKeptRoutes());
        var router = page.router();
        life.start();
        every(Duration.ofSeconds(5), service, "token-uses", "notes when tokens were last used", tokens::flushUses);
        every(Duration.ofSeconds(5), service, "secret-reads", "notes when secrets were last read", secrets::noteReads);
        every(
                Duration.ofHours(1),
                service,
                "token-tombstones",
                "forgets tokens of the long removed",
                tokens::forgetTombstones);
        every(
                Duration.ofSeconds(1),
                service,
                "restarts",
                "restarts workspaces whose secrets or plugins changed",
                restarts::run);
        every(
                Duration.ofSeconds(1),
                service,
                "approvals",
                "ends approvals that expired or whose grace is over",
                approvals::settle);
        every(
                BUDGETS_EVERY,
                service,
                "budget-levels",
                "tells when a budget is nearly or wholly spent",
                new BudgetLevels(new PgBudgetLevels(database), bus, clock)::run);
        every(Duration.ofMinutes(1), service, "invitations", "forgets invitations long over", invitations::sweep);
        every(Duration.ofMinutes(1), service, "expired-keys", "deletes keys past their time", keyValues::sweep);
        every(Duration.ofMinutes(1), service, "sessions", "ends sessions of people that are over", sessions::sweep);
        return new ExpiryNotifications(service.redis())
                .listen(() -> context.runOnContext(poke -> life.poke()))
                .compose(listening -> RegistryContracts.serve(
                        bus,
                        workspaces,
                        lifecycle,
                        restarts,
                        endpoints,
                        tokens,
                        verdicts,
                        memories,
                        secrets,
                        approvals,
                        budgets,
                        versions))
                .compose(serving -> sessions.sweep().otherwiseEmpty())
                .compose(swept -> service.listen(config.port(), router))
                .onSuccess(listening -> server = listening);
    }

    private LifeRounds life(ServiceContext service, Announcements announcements, RestartFreeze freeze) {
        var sweep = new LivenessSweep(
                new PgLivenessStore(session(service), CLAIMED_FOR),
                announcements,
                config.livenessTtl(),
                config.externalStaleness());
        var silent = new SilentAgents(
                new PgSuspicionStore(service.database()),
                new CardProbe(dialer(AddressRules.forDialling(false, false))),
                freeze,
                service.bus(),
                config.livenessTtl());
        var life = new LifeRounds(vertx, service.reconcilers(), sweep, silent, freeze);
        closing.addFirst(life::stop);
        return life;
    }

    /** Runs a reconciler on a timer and has it say how each run ended. */
    private void every(
            Duration period, ServiceContext service, String name, String purpose, Supplier<Future<?>> reconciler) {
        var report = service.reconcilers().add(name, purpose);
        var times = new Loop.Times(period, RUN_MAX);
        var loop = new Loop(vertx, report, "PostgreSQL", times, reconciler).start();
        closing.addFirst(
                () -> loop.stop().timeout(LAST_RUN_SECONDS, TimeUnit.SECONDS).otherwiseEmpty());
    }

    private Session session(ServiceContext service) {
        var session = service.database().session();
        closing.add(session::close);
        return session;
    }

    private SafeDialer dialer(AddressRules rules) {
        var dialer = new SafeDialer(vertx, rules, CONNECT_TIMEOUT);
        closing.add(dialer::close);
        return dialer;
    }
}
