package ai.molecule.proxy;

import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.config.Environment;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.a2a.A2a;
import ai.molecule.proxy.a2a.A2aRoutes;
import ai.molecule.proxy.a2a.Dispatch;
import ai.molecule.proxy.activity.ActivityBuffer;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.delegations.DelegationProjector;
import ai.molecule.proxy.delegations.DelegationRoutes;
import ai.molecule.proxy.delegations.DelegationRun;
import ai.molecule.proxy.delegations.DelegationRunner;
import ai.molecule.proxy.delegations.DelegationService;
import ai.molecule.proxy.delegations.PgDelegationStore;
import ai.molecule.proxy.delegations.PgProjectionStore;
import ai.molecule.proxy.delegations.PgWorkStore;
import ai.molecule.proxy.delegations.WorkStore;
import ai.molecule.proxy.frontdoor.FrontDoor;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Composition root: the only class that knows what the proxy is made of. One event loop serves it all. */
public final class ProxyVerticle extends VerticleBase {

    /** Of the 8 s that a service has to stop: for answers that are nearly there, and for the rows of those. */
    private static final Duration DRAIN = Duration.ofSeconds(2);

    private static final Duration FLUSH = Duration.ofSeconds(4);

    private final ProxyConfig config;
    private final UnaryOperator<WorkStore> work;
    private @Nullable ServiceContext service;
    private @Nullable ActivityBuffer activity;
    private @Nullable SafeDialer dialer;
    private @Nullable A2aRoutes a2a;
    private @Nullable DelegationRunner delegations;
    private @Nullable DelegationProjector projection;
    private @Nullable HttpServer server;

    public ProxyVerticle(ProxyConfig config) {
        this(config, store -> store);
    }

    /** @param work stands between the delegations' runner and its store, where tests let it fail */
    ProxyVerticle(ProxyConfig config, UnaryOperator<WorkStore> work) {
        this.config = config;
        this.work = work;
    }

    @Override
    public Future<?> start() {
        return ServiceContext.open(vertx, config.platform(), "proxy").compose(this::serve);
    }

    /** The port it listens on, once deployed. */
    public int actualPort() {
        if (server == null) {
            throw new IllegalStateException("not deployed");
        }
        return server.actualPort();
    }

    /** New requests are refused first, then calls still at their agents are given up, then all of it is written down. */
    @Override
    public Future<?> stop() {
        return closed(server == null ? null : server.shutdown(DRAIN.toSeconds(), TimeUnit.SECONDS))
                .eventually(() -> closed(delegations == null ? null : delegations.stop()))
                .eventually(() -> {
                    if (a2a != null) {
                        a2a.stop();
                    }
                    if (projection != null) {
                        projection.stop();
                    }
                    return closed(dialer == null ? null : dialer.close());
                })
                .eventually(() -> closed(activity == null ? null : activity.flush(FLUSH)))
                .eventually(() -> closed(service == null ? null : service.close()));
    }

    private Future<Void> serve(ServiceContext opened) {
        service = opened;
        var platform = config.platform();
        var guards = new Guards(platform, new BusCredentials(opened.bus()));
        var rules = AddressRules.forDialling(platform.environment() == Environment.DEVELOPMENT, platform.saas());
        var agents = new SafeDialer(vertx, rules, config.a2a().connect());
        var rows = new ActivityBuffer(vertx, opened.bus(), config.activity(), opened.meters());
        dialer = agents;
        activity = rows;
        var ids = new RowIds(Clock.systemUTC(), RandomGenerator.getDefault());
        var given = new DelegationService(
                new PgDelegationStore(opened.pool(), opened.events(), ids),
                UUID::randomUUID,
                config.delegations().deadline());
        var messages = A2a.of(opened, guards, agents, rows, given, config.a2a());
        a2a = messages.routes();
        carryOut(opened, given, messages.dispatch());
        var router = ProxyRouter.page(
                        opened,
                        guards,
                        messages.routes(),
                        new DelegationRoutes(given, guards),
                        new FrontDoor(vertx, platform, config.owners()),
                        config.a2a())
                .router();
        return opened.listen(config.port(), router)
                .onSuccess(listening -> server = listening)
                .mapEmpty();
    }

    private void carryOut(ServiceContext opened, DelegationService given, Dispatch dispatch) {
        var limits = config.delegations();
        var projector =
                new DelegationProjector(vertx, opened.bus(), new PgProjectionStore(opened.pool()), limits.keep());
        var store = work.apply(new PgWorkStore(opened.pool(), opened.events()));
        var runner = new DelegationRunner(
                vertx, store, new DelegationRun(vertx, store, dispatch, projector::poke, limits), limits);
        given.tell(runner::poke, projector::poke);
        projector.start();
        runner.start();
        delegations = runner;
        projection = projector;
    }

    private static Future<?> closed(@Nullable Future<?> closing) {
        return closing == null ? Future.succeededFuture() : closing;
    }
}
