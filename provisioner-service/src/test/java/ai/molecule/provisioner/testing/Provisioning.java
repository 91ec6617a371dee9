package ai.molecule.provisioner.testing;

import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.bus.provisioner.TierFits;
import ai.molecule.common.bus.provisioner.WriteSettingsFiles;
import ai.molecule.common.config.Env;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.provisioner.ProvisionerRouter;
import ai.molecule.provisioner.backend.AgentDefaults;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.FilesQuota;
import ai.molecule.provisioner.bundles.BundleRoutes;
import ai.molecule.provisioner.bundles.BundleService;
import ai.molecule.provisioner.consoles.ConsoleRoutes;
import ai.molecule.provisioner.containers.Tier;
import ai.molecule.provisioner.files.DownloadRoutes;
import ai.molecule.provisioner.files.FileRoutes;
import ai.molecule.provisioner.files.FileService;
import ai.molecule.provisioner.files.SettingsFiles;
import ai.molecule.provisioner.files.UploadRoutes;
import ai.molecule.provisioner.imports.PgImportStore;
import ai.molecule.provisioner.imports.WorkspaceImport;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.PgInstanceStore;
import ai.molecule.provisioner.lifecycle.LifecycleRoutes;
import ai.molecule.provisioner.lifecycle.LifecycleService;
import ai.molecule.provisioner.notices.PgNoticeStore;
import ai.molecule.provisioner.organisations.OrgSettings;
import ai.molecule.provisioner.organisations.OrganisationRoutes;
import ai.molecule.provisioner.organisations.OrganisationService;
import ai.molecule.provisioner.plugins.PluginAssembly;
import ai.molecule.provisioner.plugins.PluginRoutes;
import ai.molecule.provisioner.plugins.PluginSettings;
import ai.molecule.provisioner.plugins.RunningAgents;
import ai.molecule.provisioner.process.AgentCommand;
import ai.molecule.provisioner.process.ProcessBackend;
import ai.molecule.provisioner.process.ProcessSettings;
import ai.molecule.provisioner.reconcile.ProvisioningTimeout;
import ai.molecule.provisioner.reconcile.ReconcileSettings;
import ai.molecule.provisioner.reconcile.ReconcileVerticle;
import ai.molecule.provisioner.reconcile.RestartSchedule;
import ai.molecule.provisioner.teams.TeamRoutes;
import ai.molecule.provisioner.teams.TeamService;
import ai.molecule.provisioner.templates.AgentConfigs;
import ai.molecule.provisioner.templates.TemplateRoutes;
import ai.molecule.provisioner.templates.Templates;
import ai.molecule.provisioner.templates.TierCheck;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.sqlclient.Pool;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A provisioner with real processes, a real database, a registry in memory and short times. */
public final class Provisioning implements AutoCloseable {

    public static final RestartSchedule QUICK =
            new RestartSchedule(Duration.ofMillis(20), Duration.ofMillis(100), 3, Duration.ofMinutes(10));

    private final Vertx vertx;
    private final Path data;
    private final AgentCommand command;
    private final Templates templates;
    private final String database;
    private final Pool pool;
    public final StandInRegistry registry;
    public final PgInstanceStore instances;
    public Duration provisioningTimeout = Duration.ofMinutes(10);
    public RestartSchedule restarts = QUICK;
    public AgentDefaults defaults = AgentDefaults.NONE;
    private final List<ServiceContext> served = new ArrayList<>();
    private int port;
    private @Nullable String deployment;
    /** In production. */
    public static final String ADMIN_TOKEN = "admins-token";

    /** Below one workspace. */
    public static final int CHILDREN_MAX = 5;

    private boolean production;
    private FilesQuota.Limits limits = FilesQuota.Limits.fromEnv(new Env(Map.of()));
    private @Nullable ReconcileVerticle verticle;
    private final RunReport sweeps = new Reconcilers(Clock.systemUTC()).add("workspace-sweep", "sweeps");

    public Provisioning(Vertx vertx, Path data, AgentCommand command) {
        database = TestStores.freshDatabase();
        Postgres.migrate(vertx, database, "provisioner").await();
        this.vertx = vertx;
        this.data = data;
        this.command = command;
        this.templates = new Templates(vertx, data.resolve("templates"));
        this.pool = Postgres.pool(vertx, database, "provisioner");
        this.registry = StandInRegistry.on(vertx);
        this.instances = new PgInstanceStore(pool);
    }

    public Provisioning start() {
        return start(backend());
    }

    public Provisioning start(Backend backend) {
        var settings = new ReconcileSettings(
                Duration.ofMillis(200), ProvisioningTimeout.always(provisioningTimeout), restarts, defaults);
        verticle = new ReconcileVerticle(
                settings,
                new Bus(vertx),
                instances,
                backend,
                new AgentConfigs(backend.files(), templates),
                new PgNoticeStore(pool, new EventLog(new Bus(vertx))),
                sweeps);
        deployment = vertx.deployVerticle(
                        verticle, new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD))
                .await();
        return this;
    }

    /** Every route in development mode, as a client sees it; after {@link #start}. */
    public WebClient serve(Backend backend) {
        return serve(backend, (service, guards) -> {
            var dialer = new SafeDialer(vertx, AddressRules.forDialling(false, false), Duration.ofSeconds(1));
            var none = PluginSettings.fromEnv(new Env(Map.of()));
            return new PluginAssembly(vertx, service.bus(), guards, dialer, "https://repositories.invalid", none)
                    .open(new RunningAgents(instances, backend), backend.files(), quota(backend))
                    .await();
        });
    }

    /** The same with plugins of the test's own. */
    public WebClient serve(Backend backend, BiFunction<ServiceContext, Guards, PluginRoutes> plugins) {
        var platform = production
                ? TestConfig.platform(
                        "MOLECULE_ENV",
                        "production",
                        "ADMIN_TOKEN",
                        ADMIN_TOKEN,
                        "SECRETS_ENCRYPTION_KEY",
                        "key",
                        "DATABASE_URL",
                        database)
                : TestConfig.platform("MOLECULE_ENV", "development", "DATABASE_URL", database);
        var service = ServiceContext.open(vertx, platform, "provisioner").await();
        served.add(service);
        var lifecycle = new LifecycleService(
                service.bus(), backend, new AgentConfigs(backend.files(), templates), verticle()::reconcile);
        var files = new FileService(service.bus(), backend.files(), quota(backend), backend.available(), templates);
        var settings = new SettingsFiles(service.bus(), files);
        service.bus().serve(WriteSettingsFiles.CONTRACT, settings::write).await();
        service.bus()
                .serve(TierFits.CONTRACT, new TierCheck(backend, templates)::of)
                .await();
        var imports =
                new WorkspaceImport(service.bus(), backend, new PgImportStore(service.pool()), verticle()::reconcile);
        var guards = new Guards(service.config(), new BusCredentials(service.bus()));
        var page = ProvisionerRouter.page(
                service,
                guards,
                new LifecycleRoutes(lifecycle),
                new ConsoleRoutes(service.bus(), backend),
                new TeamRoutes(
                        new TeamService(service.bus(), templates, backend, verticle()::reconcile, CHILDREN_MAX),
                        production),
                new TemplateRoutes(templates),
                new FileRoutes(files, settings),
                new UploadRoutes(vertx, files, data.resolve("uploads")),
                new DownloadRoutes(files),
                new OrganisationRoutes(
                        new OrganisationService(vertx, service.bus(), organisations(), imports, backend), null),
                new BundleRoutes(new BundleService(service.bus(), backend, imports), guards, null),
                plugins.apply(service, guards));
        port = service.listen(0, page.router()).await().actualPort();
        return WebClient.create(
                vertx, new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(port));
    }

    /** Every route in production mode from the next {@link #serve} on. */
    public Provisioning production() {
        production = true;
        return this;
    }

    /** Variables of {@link FilesQuota.Limits}; to be set before {@link #serve}. */
    public Provisioning quota(Map<String, String> variables) {
        limits = FilesQuota.Limits.fromEnv(new Env(variables));
        return this;
    }

    public FilesQuota quota(Backend backend) {
        return new FilesQuota(backend.files(), limits);
    }

    private OrgSettings organisations() {
        return new OrgSettings(
                data.resolve("org-templates"), false, data.resolve("templates"), data.resolve("plugins"), Map.of());
    }

    /** Where {@link #serve} listens. */
    public int port() {
        return port;
    }

    public ProcessBackend backend() {
        return new ProcessBackend(vertx, settings(data), command);
    }

    public static ProcessSettings settings(Path data) {
        return new ProcessSettings(
                data,
                null,
                "http://127.0.0.1:8080",
                "127.0.0.1",
                null,
                "/usr/local/bin:/usr/bin:/bin",
                "C.UTF-8",
                Duration.ofSeconds(30),
                Duration.ofMillis(500),
                null,
                Tier.fromEnv(new Env(Map.of())),
                false);
    }

    /** The provisioner goes; its agents stay. */
    public void stop() {
        if (deployment != null) {
            vertx.undeploy(deployment).await();
            deployment = null;
        }
    }

    /** Ends every connection to the database and refuses new ones, or takes them again. */
    public void databaseAway(boolean away) {
        String name = database.substring(database.lastIndexOf('/') + 1);
        var admin = Postgres.pool(vertx, database.replace("/" + name, "/postgres"), "public");
        admin.query("ALTER DATABASE " + name + " ALLOW_CONNECTIONS " + !away)
                .execute()
                .compose(done -> admin.query(
                                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'")
                        .execute())
                .eventually(admin::close)
                .await();
    }

    public void reconcile(UUID workspaceId) {
        if (verticle == null) {
            throw new IllegalStateException("not started");
        }
        verticle.reconcile(workspaceId).await();
    }

    public ReconcileVerticle verticle() {
        if (verticle == null) {
            throw new IllegalStateException("not started");
        }
        return verticle;
    }

    /** What the last sweep said of itself. */
    public ReconcilerStatus.One sweeps() {
        return sweeps.status();
    }

    public Optional<Instance> instance(UUID workspaceId) {
        return instances.find(workspaceId).await();
    }

    /** A new workspace whose agent was started and has sent its first heartbeat. */
    public UUID running() {
        return running(registry.create("echo"));
    }

    /** The same of one that was created. */
    public UUID running(UUID workspaceId) {
        reconcile(workspaceId);
        if (pid(workspaceId) == 0) {
            throw new IllegalStateException("not started: " + workspaceId);
        }
        registry.online(workspaceId);
        return workspaceId;
    }

    /** The pid of the recorded process; 0 when none is recorded. */
    public long pid(UUID workspaceId) {
        return instance(workspaceId)
                .map(Instance::process)
                .map(process -> Long.parseLong(process.id()))
                .orElse(0L);
    }

    public static long processesOf(UUID workspaceId) {
        return Processes.marked(workspaceId).count();
    }

    @Override
    public void close() {
        stop();
        instances.list(100).await().forEach(instance -> Processes.kill(instance.workspaceId()));
        pool.close().await();
        served.forEach(service -> service.close().await());
        TestStores.drop(database);
    }
}
