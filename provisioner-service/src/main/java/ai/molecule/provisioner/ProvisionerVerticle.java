package ai.molecule.provisioner;

import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.NoBackend;
import ai.molecule.provisioner.bundles.BundleRoutes;
import ai.molecule.provisioner.bundles.BundleService;
import ai.molecule.provisioner.configs.InitialConfig;
import ai.molecule.provisioner.imports.WorkspaceImport;
import ai.molecule.provisioner.instances.PgInstanceStore;
import ai.molecule.provisioner.lifecycle.LifecycleRoutes;
import ai.molecule.provisioner.lifecycle.LifecycleService;
import ai.molecule.provisioner.organisations.OrganisationRoutes;
import ai.molecule.provisioner.organisations.OrganisationService;
import ai.molecule.provisioner.process.AgentCommand;
import ai.molecule.provisioner.process.ProcessBackend;
import ai.molecule.provisioner.reconcile.ReconcileVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Composition root: the only class that knows which store and backend the provisioner runs with. */
public final class ProvisionerVerticle extends VerticleBase {

    private static final DeploymentOptions VIRTUAL_THREADS =
            new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD);

    private final ProvisionerConfig config;
    private @Nullable ServiceContext service;
    private @Nullable HttpServer server;
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
        return service == null ? Future.succeededFuture() : service.close();
    }

    private Future<?> serve(ServiceContext service) {
        Backend backend = backend();
        var reconciler = new ReconcileVerticle(
                config.reconcile(),
                service.bus(),
                new PgInstanceStore(service.pool()),
                backend,
                new InitialConfig(backend.files()),
                service.reconcilers().add("workspace-sweep", "makes the agents' processes match what is wanted"));
        var lifecycle = new LifecycleService(service.bus(), backend, reconciler::reconcile);
        var guards = new Guards(config.platform(), new BusCredentials(service.bus()));
        var imports = new WorkspaceImport(service.bus(), backend, reconciler::reconcile);
        var page = ProvisionerRouter.page(
                service,
                guards,
                new LifecycleRoutes(lifecycle),
                new OrganisationRoutes(new OrganisationService(vertx, service.bus(), config.organisations(), imports)),
                new BundleRoutes(new BundleService(service.bus(), backend, imports)));
        routes = page.entries();
        return vertx.deployVerticle(reconciler, VIRTUAL_THREADS)
                .compose(deployed -> service.listen(config.port(), page.router()))
                .onSuccess(listening -> server = listening);
    }

    private Backend backend() {
        return switch (config.backend()) {
            case NONE -> new NoBackend();
            case PROCESS ->
                new ProcessBackend(
                        vertx,
                        config.process(),
                        AgentCommand.java(config.process().runtimeJar()));
        };
    }
}
