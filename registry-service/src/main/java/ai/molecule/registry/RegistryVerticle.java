package ai.molecule.registry;

import ai.molecule.common.config.Environment;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.Session;
import ai.molecule.common.db.Sql;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.registry.lifecycle.PgRetentionStore;
import ai.molecule.registry.lifecycle.Retention;
import ai.molecule.registry.liveness.ExpiryNotifications;
import ai.molecule.registry.liveness.LifeRounds;
import ai.molecule.registry.liveness.LivenessSweep;
import ai.molecule.registry.liveness.PgLivenessStore;
import ai.molecule.registry.suspicions.CardProbe;
import ai.molecule.registry.suspicions.PgSuspicionStore;
import ai.molecule.registry.suspicions.SilentAgents;
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

/** Starts and stops the registry: with which clock, pools, dialers and timers it runs. What it is made of: {@link RegistryServices}. */
public final class RegistryVerticle extends VerticleBase {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    /** Renewed every second; with this another replica takes over within 8 s of a death or standstill. */
    private static final Duration CLAIMED_FOR = Duration.ofSeconds(6);

    /** Longer than any statement may take. */
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
        finishing = service::finish;
        closing.add(service::close);
        var searchPool = Postgres.searchPool(vertx, service.database().url(), "registry");
        closing.add(searchPool::close);
        var platform = config.platform();
        boolean development = platform.environment() == Environment.DEVELOPMENT;
        var registry = new RegistryServices(
                service,
                config,
                clock,
                context,
                Sql.of(searchPool),
                session(service),
                dialer(AddressRules.forRegistration(platform.saas()).opening(platform.agentNetworks())),
                dialer(AddressRules.forDialling(development, platform.saas()).opening(platform.agentNetworks())),
                dialer(AddressRules.forDialling(false, false)));
        closing.add(registry.secretStores::close);
        var served = RegistryRouter.page(service, config, registry, clock);
        page = served;
        var life = life(service, registry);
        life.start();
        reconcile(service, registry);
        return new ExpiryNotifications(service.redis())
                .listen(() -> context.runOnContext(poke -> life.poke()))
                .compose(listening -> RegistryContracts.serve(service.bus(), registry))
                .compose(serving -> registry.keys.load().otherwiseEmpty()) // else by its loop, which says why not
                .compose(known -> registry.sessions.sweep().otherwiseEmpty())
                .compose(swept -> platform.adminTokenOff() ? requireOwner(registry) : Future.succeededFuture())
                .compose(swept -> service.listen(config.port(), served.router()))
                .onSuccess(listening -> server = listening);
    }

    /** Without an administrator's token and without an owner nobody could ever rule here again. */
    private static Future<Void> requireOwner(RegistryServices registry) {
        return registry.people
                .hasOwner()
                .compose(exists -> exists
                        ? Future.succeededFuture()
                        : Future.failedFuture(new IllegalStateException(PlatformConfig.ADMIN_TOKEN_OFF
                                + "=1 needs an owner who has signed in before; make one first (docs/people.md)")));
    }

    private void reconcile(ServiceContext service, RegistryServices registry) {
        every(5, service, "token-uses", "notes when tokens were last used", registry.tokens::flushUses);
        every(5, service, "secret-reads", "notes when secrets were last read", registry.secrets::noteReads);
        var forgetting = registry.tokens;
        every(3_600, service, "token-tombstones", "forgets tokens of the long removed", forgetting::forgetTombstones);
        every(
                600,
                service,
                "recent-askers",
                "forgets who asked agents hours ago",
                () -> registry.askers.forget(clock.instant()));
        every(
                600,
                service,
                "expired-tokens",
                "deletes tokens of workspaces past their time",
                forgetting::deleteExpired);
        var retention = new Retention(
                new PgRetentionStore(service.database()), registry.announcements, clock, config.retention());
        every(600, service, "retention", "purges what was removed or decided long ago", retention::run);
        every(1, service, "restarts", "restarts workspaces whose secrets or plugins changed", registry.restarts::run);
        every(
                1,
                service,
                "approvals",
                "ends approvals that expired or whose grace is over",
                registry.approvals::settle);
        // so late may a person hear of a budget
        every(3, service, "budget-levels", "tells when a budget is nearly or wholly spent", registry.budgetLevels::run);
        every(10, service, "organisation-keys", "knows with which key the organisation signs", registry.keys::load);
        every(
                10,
                service,
                "branch-changes",
                "forgets old changes of who may talk to whom",
                registry.branchChanges::forget);
        every(
                2,
                service,
                "external-agents",
                "looks up the cards of agents that were added by their URL",
                registry.externals::run);
        every(15, service, "hibernation", "puts idle agents to sleep", registry.hibernation::run);
        closing.addFirst(() -> {
            registry.awaitedApprovals.close();
            return Future.succeededFuture();
        });
        closing.addFirst(() -> registry.hibernation
                .release()
                .timeout(LAST_RUN_SECONDS, TimeUnit.SECONDS)
                .otherwiseEmpty());
        every(60, service, "invitations", "forgets invitations long over", registry.invitations::sweep);
        every(60, service, "expired-keys", "deletes keys past their time", registry.keyValues::sweep);
        every(60, service, "sessions", "ends sessions of people that are over", registry.sessions::sweep);
        every(60, service, "people-links", "forgets links and tokens of people that are over", registry.people::sweep);
        every(60, service, "sign-ins", "forgets sign-ins that nobody came back from", registry.signIns::sweep);
        every(60, service, "devices", "forgets programs that nobody allowed", registry.devices::sweep);
        every(60, service, "chat-codes", "forgets codes that nobody said", registry.chats::sweep);
    }

    private LifeRounds life(ServiceContext service, RegistryServices registry) {
        var sweep = new LivenessSweep(
                new PgLivenessStore(session(service), CLAIMED_FOR),
                registry.announcements,
                config.livenessTtl(),
                config.externalStaleness());
        var silent = new SilentAgents(
                new PgSuspicionStore(service.database()),
                new CardProbe(dialer(AddressRules.forDialling(false, false))),
                registry.freeze,
                service.bus(),
                config.livenessTtl());
        var life = new LifeRounds(vertx, service.reconcilers(), sweep, silent, registry.freeze);
        closing.addFirst(life::stop);
        return life;
    }

    /** Runs a reconciler on a timer and has it say how each run ended. */
    private void every(
            int seconds, ServiceContext service, String name, String purpose, Supplier<Future<?>> reconciler) {
        var report = service.reconcilers().add(name, purpose);
        var times = new Loop.Times(Duration.ofSeconds(seconds), RUN_MAX);
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
        var dialer = SafeDialer.ofAgents(
                vertx, rules, CONNECT_TIMEOUT, config.platform().agentUids());
        closing.add(dialer::close);
        return dialer;
    }
}
