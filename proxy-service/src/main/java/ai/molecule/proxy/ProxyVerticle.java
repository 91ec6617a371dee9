package ai.molecule.proxy;

import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.proxy.SendAsSystem;
import ai.molecule.common.config.Environment;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.Shutdown.Step;
import ai.molecule.proxy.a2a.A2a;
import ai.molecule.proxy.a2a.Dispatch;
import ai.molecule.proxy.activity.ActivityBuffer;
import ai.molecule.proxy.activity.HeldRows;
import ai.molecule.proxy.activity.Losses;
import ai.molecule.proxy.activity.PgHeldRowStore;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.activity.Tally;
import ai.molecule.proxy.backlog.Backlog;
import ai.molecule.proxy.backlog.PgBacklogStore;
import ai.molecule.proxy.delegations.DelegationProjector;
import ai.molecule.proxy.delegations.DelegationRoutes;
import ai.molecule.proxy.delegations.DelegationRun;
import ai.molecule.proxy.delegations.DelegationService;
import ai.molecule.proxy.delegations.PgDelegationStore;
import ai.molecule.proxy.delegations.PgProjectionStore;
import ai.molecule.proxy.delegations.PgWorkStore;
import ai.molecule.proxy.delegations.WorkStore;
import ai.molecule.proxy.frontdoor.AgentsDoor;
import ai.molecule.proxy.frontdoor.FrontDoor;
import ai.molecule.proxy.leases.LeaseRunner;
import ai.molecule.proxy.models.Models;
import ai.molecule.proxy.queue.EndingListener;
import ai.molecule.proxy.queue.PgAdmission;
import ai.molecule.proxy.queue.PgQueueStore;
import ai.molecule.proxy.queue.QueueRecords;
import ai.molecule.proxy.queue.QueueRoutes;
import ai.molecule.proxy.queue.QueueRun;
import ai.molecule.proxy.queue.QueueService;
import ai.molecule.proxy.queue.QueueStore;
import ai.molecule.proxy.streams.PgStreamStore;
import ai.molecule.proxy.streams.StreamKeeping;
import ai.molecule.proxy.streams.Streams;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Composition root: the only class that knows what the proxy is made of. One event loop serves it all. */
public final class ProxyVerticle extends VerticleBase {

    private static final Logger LOGGER = LoggerFactory.getLogger(ProxyVerticle.class);

    /** What streams may take to be handed to other replicas; part of the 8 s that a service has besides finishing its requests. */
    private static final Duration HAND_OVER = Duration.ofSeconds(1);

    private static final Duration FLUSH = Duration.ofSeconds(4);

    /** How often the registry is told for whom messages wait; it forgets that after 30 s. */
    private static final Duration WANT_CAPACITY = Duration.ofSeconds(10);

    /** How long a lost hint can keep the queue of a quarantined workspace open. */
    private static final Duration CLOSE_QUARANTINED = Duration.ofSeconds(1);

    private static final Duration PRUNE = Duration.ofHours(1);

    private final ProxyConfig config;
    private final UnaryOperator<WorkStore> work;
    private final UnaryOperator<QueueStore> waitingStore;
    private final Shutdown shutdown = new Shutdown();
    private @Nullable HttpServer server;
    private @Nullable HttpServer agentsServer;
    private List<RoutePage.Entry> routes = List.of();

    public ProxyVerticle(ProxyConfig config) {
        this(config, store -> store, store -> store);
    }

    /** @param work, waitingStore stand between a runner and its store, where tests let it fail */
    ProxyVerticle(ProxyConfig config, UnaryOperator<WorkStore> work, UnaryOperator<QueueStore> waitingStore) {
        this.config = config;
        this.work = work;
        this.waitingStore = waitingStore;
    }

    @Override
    public Future<?> start() {
        var self = UUID.randomUUID();
        return ServiceContext.open(vertx, config.platform(), "proxy")
                .compose(opened -> openTally(self).compose(counting -> serve(opened, self, counting)));
    }

    /** The port it listens on, once deployed. */
    public int actualPort() {
        if (server == null) {
            throw new IllegalStateException("not deployed");
        }
        return server.actualPort();
    }

    /** The port where agents come in, once deployed with one. */
    public int actualAgentsPort() {
        if (agentsServer == null) {
            throw new IllegalStateException("agents have no door of their own here");
        }
        return agentsServer.actualPort();
    }

    /** Every route of its own with its guard, once deployed. */
    public List<RoutePage.Entry> routes() {
        return routes;
    }

    @Override
    public Future<?> stop() {
        return shutdown.run();
    }

    private Future<Tally> openTally(UUID self) {
        var folder = tallies();
        return folder == null
                ? Future.succeededFuture(Tally.nowhere())
                : vertx.executeBlocking(() -> Tally.in(folder, self)).otherwise(failure -> {
                    LOGGER.atWarn().setCause(failure).log("what a kill would lose is not counted");
                    return Tally.nowhere();
                });
    }

    private @Nullable Path tallies() {
        var data = config.data();
        return data == null ? null : data.resolve("proxies");
    }

    private Future<Void> serve(ServiceContext opened, UUID self, Tally counting) {
        shutdown.at(Step.REQUESTS, opened::finish);
        shutdown.at(Step.TALLY, () -> closed(counting));
        shutdown.at(Step.SERVICE, opened::close);
        var platform = config.platform();
        var credentials = new BusCredentials(opened.bus());
        var guards = new Guards(platform, credentials);
        var rules = AddressRules.forDialling(platform.environment() == Environment.DEVELOPMENT, platform.saas());
        var agents = new SafeDialer(vertx, rules, config.a2a().connect());
        shutdown.at(Step.CONNECTIONS, agents::close);
        var rows = new ActivityBuffer(vertx, opened.bus(), config.activity(), opened.meters());
        rows.reportTo(opened.reconcilers().add("activity-rows", "writes down what was said"));
        shutdown.at(Step.ACTIVITY_ROWS, () -> rows.flush(FLUSH));
        var ids = new RowIds(Clock.systemUTC(), RandomGenerator.getDefault()); // row ids need be unique, not secret
        var journal = new PgStreamStore(opened.pool());
        var passing = new Streams(
                vertx, opened.bus(), journal, config.a2a().relay(), config.journal(), self, opened.meters());
        shutdown.at(Step.STREAMS, () -> passing.stop(HAND_OVER));
        var admission = new PgAdmission(ids, config.queue());
        var queued = new PgQueueStore(opened.pool(), admission);
        var given = new DelegationService(
                new PgDelegationStore(opened.pool(), opened.events(), admission, ids),
                UUID::randomUUID,
                config.delegations().deadline());
        var queue = new QueueService(queued, opened.bus(), config.queue().keep());
        var messages = A2a.of(opened, guards, agents, rows, given, queue, passing, ids, counting, config.a2a());
        var keeper = new StreamKeeping(
                vertx, passing, journal, config.journal(), messages.line(), opened.reconcilers(), opened.meters());
        var holding = new HeldRows(
                vertx,
                new PgHeldRowStore(opened.pool()),
                self,
                config.journal().lease(),
                Clock.systemUTC(),
                rows,
                counting,
                opened.reconcilers().add("held-rows", "sends on what dead proxies had to write down"),
                opened.meters());
        shutdown.at(Step.ADOPTIONS, keeper::stop);
        shutdown.at(Step.CALLS, messages.routes()::stop);
        shutdown.at(Step.TIMERS, holding::stop);
        tellLosses(opened);
        carryOut(opened, given, messages.dispatch(), admission);
        count(opened);
        drain(opened, queue, queued, messages.dispatch(), new QueueRecords(messages.dispatch(), given));
        var entrance = new FrontDoor(vertx, platform, config.owners());
        shutdown.at(Step.FRONT_DOOR, entrance::close);
        var models = Models.of(opened, guards, config.models()).start();
        shutdown.at(Step.CALLS, models::stop);
        var page = ProxyRouter.page(
                opened,
                guards,
                messages.routes(),
                new DelegationRoutes(given, guards),
                new QueueRoutes(queue),
                new AgentsDoor(platform, credentials),
                entrance,
                models,
                config);
        routes = page.entries();
        var router = page.router();
        return keeper.start()
                .onSuccess(seen -> holding.start())
                .compose(seen -> opened.bus().serve(SendAsSystem.CONTRACT, messages.system()::send))
                .compose(seen -> opened.listen(config.port(), router))
                .onSuccess(listening -> server = listening)
                .compose(listening -> listenForAgents(opened, listening.actualPort(), router))
                .mapEmpty();
    }

    private Future<?> listenForAgents(ServiceContext opened, int ownPort, Handler<HttpServerRequest> page) {
        var agents = config.agents();
        if (agents == null) {
            return Future.succeededFuture();
        }
        Integer port = agents.port();
        return opened.listen(agents.host(), port == null ? ownPort : port, AgentsDoor.before(page))
                .onSuccess(listening -> agentsServer = listening);
    }

    private void tellLosses(ServiceContext opened) {
        var folder = tallies();
        if (folder == null) {
            return;
        }
        var report = opened.reconcilers().add("losses", "tells what killed proxies lost");
        var losses = new Losses(vertx, folder, report, opened.meters());
        losses.start();
        shutdown.at(Step.TIMERS, losses::stop);
    }

    private void count(ServiceContext opened) {
        var report = opened.reconcilers().add("backlog", "counts what waits");
        var backlog = new Backlog(vertx, new PgBacklogStore(opened.pool()), report, opened.meters());
        backlog.start();
        shutdown.at(Step.TIMERS, backlog::stop);
    }

    private void carryOut(ServiceContext opened, DelegationService given, Dispatch dispatch, PgAdmission queue) {
        var limits = config.delegations();
        var projector = new DelegationProjector(
                vertx, opened.bus(), new PgProjectionStore(opened.pool()), limits.keep(), opened.reconcilers());
        var store = work.apply(new PgWorkStore(opened.pool(), opened.events(), queue));
        var runner = new LeaseRunner<>(
                vertx,
                store,
                new DelegationRun(vertx, store, dispatch, projector::poke, limits),
                limits.pace(),
                opened.reconcilers().add("delegations", "carries out what was delegated"));
        given.tell(runner::poke, projector::poke);
        projector.start();
        runner.start();
        shutdown.at(Step.LEASES, runner::stop);
        shutdown.at(Step.CALLS, projector::stop);
    }

    private void drain(
            ServiceContext opened, QueueService queue, QueueStore queued, Dispatch dispatch, EndingListener ends) {
        var limits = config.queue();
        queue.tell(ends);
        var store = waitingStore.apply(queued);
        var run = new QueueRun(store, dispatch, ends, config.a2a().upstream(), limits);
        var runner = new LeaseRunner<>(
                vertx,
                store,
                run,
                limits.pace(),
                opened.reconcilers().add("queue", "takes messages to agents that were busy"));
        var pruning = opened.reconcilers().add("queue-pruning", "forgets messages whose wait ended long ago");
        opened.bus()
                .listen(DrainQueue.HINT, hint -> queue.hurry(hint.workspaceId()).onSuccess(due -> runner.poke()));
        run.tell(runner::poke);
        var closing = opened.reconcilers().add("queue-closing", "ends what waits for quarantined workspaces");
        opened.bus().listen(WorkspaceChanged.HINT, hint -> queue.changed(hint.workspaceId(), dispatch));
        vertx.setPeriodic(CLOSE_QUARANTINED.toMillis(), tick -> closing.follow(queue.closeQuarantined(dispatch)));
        vertx.setPeriodic(WANT_CAPACITY.toMillis(), tick -> queue.wantCapacity());
        vertx.setPeriodic(PRUNE.toMillis(), tick -> pruning.follow(queue.prune()));
        runner.start();
        shutdown.at(Step.LEASES, runner::stop);
    }

    private Future<?> closed(Tally tally) {
        return vertx.executeBlocking(() -> {
            tally.close();
            return null;
        });
    }
}
