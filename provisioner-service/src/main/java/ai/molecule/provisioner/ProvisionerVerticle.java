package ai.molecule.provisioner;

import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.provisioner.ProvisionTimeouts;
import ai.molecule.common.bus.provisioner.TemplateRuntime;
import ai.molecule.common.bus.provisioner.TierFits;
import ai.molecule.common.bus.provisioner.WriteSettingsFiles;
import ai.molecule.common.config.Environment;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.FilesQuota;
import ai.molecule.provisioner.backend.NoBackend;
import ai.molecule.provisioner.bundles.BundleRoutes;
import ai.molecule.provisioner.bundles.BundleService;
import ai.molecule.provisioner.consoles.ConsoleRoutes;
import ai.molecule.provisioner.docker.DockerBackend;
import ai.molecule.provisioner.files.DownloadRoutes;
import ai.molecule.provisioner.files.FileRoutes;
import ai.molecule.provisioner.files.FileService;
import ai.molecule.provisioner.files.SettingsFiles;
import ai.molecule.provisioner.files.UploadRoutes;
import ai.molecule.provisioner.imports.InterruptedImports;
import ai.molecule.provisioner.imports.PgImportStore;
import ai.molecule.provisioner.imports.WorkspaceImport;
import ai.molecule.provisioner.instances.PgHostClaim;
import ai.molecule.provisioner.instances.PgInstanceStore;
import ai.molecule.provisioner.kubernetes.KubernetesBackend;
import ai.molecule.provisioner.kubernetes.KubernetesClients;
import ai.molecule.provisioner.lifecycle.LifecycleRoutes;
import ai.molecule.provisioner.lifecycle.LifecycleService;
import ai.molecule.provisioner.notices.PgNoticeStore;
import ai.molecule.provisioner.organisations.OrganisationRoutes;
import ai.molecule.provisioner.organisations.OrganisationService;
import ai.molecule.provisioner.plugins.PluginAssembly;
import ai.molecule.provisioner.plugins.PluginRoutes;
import ai.molecule.provisioner.plugins.RunningAgents;
import ai.molecule.provisioner.plugins.sources.GithubPlugins;
import ai.molecule.provisioner.process.ProcessBackend;
import ai.molecule.provisioner.process.RuntimeJar;
import ai.molecule.provisioner.reconcile.ReconcileVerticle;
import ai.molecule.provisioner.shipped.ShippedFolder;
import ai.molecule.provisioner.teams.TeamRoutes;
import ai.molecule.provisioner.teams.TeamService;
import ai.molecule.provisioner.templates.AgentConfigs;
import ai.molecule.provisioner.templates.TemplateRoutes;
import ai.molecule.provisioner.templates.Templates;
import ai.molecule.provisioner.templates.TierCheck;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Composition root: the only class that knows which store and backend the provisioner runs with. */
public final class ProvisionerVerticle extends VerticleBase {

    private static final DeploymentOptions VIRTUAL_THREADS =
            new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD);

    /** When interrupted imports are first looked for: soon, but when the registry had time to start. */
    private static final Duration IMPORTS_FIRST = Duration.ofSeconds(1);

    private static final int RELEASE_SECONDS = 2;

    private static final Duration IMPORTS_EVERY = Duration.ofSeconds(30);

    private static final Logger LOGGER = LoggerFactory.getLogger(ProvisionerVerticle.class);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final ProvisionerConfig config;
    private @Nullable ServiceContext service;
    private @Nullable HttpServer server;
    private @Nullable PgHostClaim claim;
    private List<RoutePage.Entry> routes = List.of();

    public ProvisionerVerticle(ProvisionerConfig config) {
        this.config = config;
    }

    @Override
    public Future<?> start() {
        return ServiceContext.open(vertx, config.platform(), "provisioner").compose(opened -> {
            service = opened;
            return serve(opened);
        });
    }

    /** Where it listens; known once it is deployed. */
    public int actualPort() {
        if (server == null) {
            throw new IllegalStateException("not deployed");
        }
        return server.actualPort();
    }

    /** Every route with its guard, once deployed. */
    public List<RoutePage.Entry> routes() {
        return routes;
    }

    /** Agents go on running: whoever started the platform ends them by their lifeline, or we find them again. */
    @Override
    public Future<?> stop() {
        return service == null
                ? Future.succeededFuture()
                : service.finish().eventually(this::releaseHost).eventually(service::close);
    }

    private Future<Void> releaseHost() {
        return claim == null ? Future.succeededFuture() : claim.release().timeout(RELEASE_SECONDS, TimeUnit.SECONDS);
    }

    private Future<?> serve(ServiceContext service) {
        Backend backend = backend();
        var claim = new PgHostClaim(
                vertx,
                service.database(),
                backend::host,
                PgHostClaim.TERM,
                service.reconcilers().add("agent-host", "holds the right to run agents on this machine"));
        this.claim = claim;
        var templates = new Templates(vertx, config.templates());
        var configs = new AgentConfigs(backend.files(), templates);
        var reconciler = new ReconcileVerticle(
                config.reconcile(),
                service.bus(),
                new PgInstanceStore(service.pool(), claim::isHeld),
                backend,
                configs,
                new PgNoticeStore(service.pool(), service.events()),
                service.reconcilers().add("workspace-sweep", "makes the agents' processes match what is wanted"));
        var lifecycle = new LifecycleService(service.bus(), backend, configs, reconciler::reconcile);
        var guards = new Guards(config.platform(), new BusCredentials(service.bus()));
        var quota = new FilesQuota(backend.files(), config.quota());
        var files = new FileService(service.bus(), backend.files(), quota, backend.available(), templates);
        var settings = new SettingsFiles(service.bus(), files);
        var openImports = new PgImportStore(service.pool());
        var imports = new WorkspaceImport(service.bus(), backend, openImports, reconciler::reconcile);
        var uploads = new UploadRoutes(vertx, files, config.process().data().resolve("uploads"));
        return claim.take(() -> leaveAgents(reconciler))
                .compose(taken -> vertx.deployVerticle(reconciler, VIRTUAL_THREADS))
                .compose(deployed -> service.bus().serve(TemplateRuntime.CONTRACT, templates::runtimeOf))
                .compose(serving ->
                        service.bus().serve(ProvisionTimeouts.CONTRACT, question -> templates.provisionTimeouts()))
                .compose(serving -> service.bus().serve(TierFits.CONTRACT, new TierCheck(backend, templates)::of))
                .compose(serving -> service.bus().serve(WriteSettingsFiles.CONTRACT, settings::write))
                .compose(serving -> uploads.clear())
                .compose(cleared -> examples())
                .compose(there -> plugins(service, guards, backend, quota))
                .compose(plugins -> {
                    var page = ProvisionerRouter.page(
                            service,
                            guards,
                            new LifecycleRoutes(lifecycle),
                            new ConsoleRoutes(service.bus(), backend),
                            new TeamRoutes(
                                    new TeamService(
                                            service.bus(),
                                            templates,
                                            backend,
                                            reconciler::reconcile,
                                            config.childrenMax()),
                                    config.platform().environment() == Environment.PRODUCTION),
                            new TemplateRoutes(templates),
                            new FileRoutes(files, settings),
                            uploads,
                            new DownloadRoutes(files),
                            new OrganisationRoutes(
                                    new OrganisationService(
                                            vertx, service.bus(), config.organisations(), imports, backend),
                                    config.platform().orgId()),
                            new BundleRoutes(
                                    new BundleService(service.bus(), backend, imports),
                                    guards,
                                    config.platform().orgId()),
                            plugins);
                    routes = page.entries();
                    return service.listen(config.port(), page.router());
                })
                .onSuccess(listening -> {
                    server = listening;
                    finishImports(service, new InterruptedImports(openImports, service.bus(), reconciler::reconcile));
                });
    }

    /** Agents of another machine look dead from here, so nobody may ask this provisioner about any. */
    private void leaveAgents(ReconcileVerticle reconciler) {
        vertx.undeploy(reconciler.deploymentID());
    }

    private void finishImports(ServiceContext service, InterruptedImports interrupted) {
        var report = service.reconcilers().add("import-sweep", "finishes imports that a crash cut short");
        var running = new AtomicBoolean();
        vertx.setPeriodic(IMPORTS_FIRST.toMillis(), IMPORTS_EVERY.toMillis(), tick -> {
            if (running.compareAndSet(false, true)) {
                var run = interrupted.run().onComplete(done -> running.set(false));
                report.follow(run);
            }
        });
    }

    private Future<Void> examples() {
        var organisations = config.organisations();
        return organisations.shipped()
                ? ShippedFolder.ORGANISATIONS
                        .layOutWhereNothingIs(vertx, organisations.organisations())
                        .compose(there -> ShippedFolder.TEMPLATES.layOutWhereNothingIs(vertx, config.templates()))
                : Future.succeededFuture();
    }

    private Future<PluginRoutes> plugins(ServiceContext service, Guards guards, Backend backend, FilesQuota quota) {
        var platform = config.platform();
        boolean development = platform.environment() == Environment.DEVELOPMENT;
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(development, platform.saas()), CONNECT_TIMEOUT);
        var assembly =
                new PluginAssembly(vertx, service.bus(), guards, dialer, GithubPlugins.CODELOAD, config.plugins());
        return assembly.open(new RunningAgents(new PgInstanceStore(service.pool()), backend), backend.files(), quota);
    }

    private Backend backend() {
        return switch (config.backend()) {
            case NONE -> new NoBackend();
            case DOCKER -> new DockerBackend(vertx, config.docker(), config.ports());
            case KUBERNETES -> new KubernetesBackend(vertx, KubernetesClients.open(), config.kubernetes());
            case PROCESS -> {
                if (config.process().firstUid() == null && config.platform().environment() == Environment.PRODUCTION) {
                    LOGGER.atWarn().log("MOLECULE_TRUST_AGENTS: every agent can read the platform's own keys");
                }
                yield new ProcessBackend(
                        vertx, config.process(), new RuntimeJar(config.process().runtimeJar()), config.ports());
            }
        };
    }
}
