package ai.molecule.proxy;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.proxy.AskForWork;
import ai.molecule.common.bus.proxy.AtWork;
import ai.molecule.common.bus.proxy.ModelSpend;
import ai.molecule.common.bus.proxy.RunningWith;
import ai.molecule.common.bus.proxy.SendAsSystem;
import ai.molecule.common.bus.proxy.TasksAt;
import ai.molecule.common.bus.proxy.TeamSpend;
import ai.molecule.common.bus.proxy.WaitsBehind;
import ai.molecule.common.bus.proxy.WorkAnswers;
import ai.molecule.common.bus.proxy.WorkBetween;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.config.Environment;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.loops.Pruning;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.proxy.Shutdown.Step;
import ai.molecule.proxy.a2a.A2a;
import ai.molecule.proxy.a2a.messages.Dispatch;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.backlog.Backlog;
import ai.molecule.proxy.backlog.PgBacklogStore;
import ai.molecule.proxy.delegations.Delegation;
import ai.molecule.proxy.delegations.DelegationRoutes;
import ai.molecule.proxy.delegations.DelegationRun;
import ai.molecule.proxy.delegations.DelegationService;
import ai.molecule.proxy.delegations.PgDelegationLog;
import ai.molecule.proxy.delegations.PgDelegationStore;
import ai.molecule.proxy.delegations.PgWorkStore;
import ai.molecule.proxy.delegations.WorkStore;
import ai.molecule.proxy.frontdoor.AgentsDoor;
import ai.molecule.proxy.frontdoor.CanvasBeside;
import ai.molecule.proxy.frontdoor.FrontDoor;
import ai.molecule.proxy.frontdoor.previews.Previews;
import ai.molecule.proxy.known.KnownTasks;
import ai.molecule.proxy.leases.LeaseRunner;
import ai.molecule.proxy.models.Models;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.push.Push;
import ai.molecule.proxy.queue.PgQueueEntries;
import ai.molecule.proxy.queue.PgQueueStore;
import ai.molecule.proxy.queue.QueueItem;
import ai.molecule.proxy.queue.QueueOutcomeListener;
import ai.molecule.proxy.queue.QueueRecords;
import ai.molecule.proxy.queue.QueueRoutes;
import ai.molecule.proxy.queue.QueueRun;
import ai.molecule.proxy.queue.QueueService;
import ai.molecule.proxy.queue.QueueStore;
import ai.molecule.proxy.schedules.ScheduleStore;
import ai.molecule.proxy.schedules.Schedules;
import ai.molecule.proxy.spending.PgSpending;
import ai.molecule.proxy.spending.SpendingRoutes;
import ai.molecule.proxy.streams.PgStreamStore;
import ai.molecule.proxy.streams.StreamKeeping;
import ai.molecule.proxy.streams.Streams;
import ai.molecule.proxy.tasks.PgAtWork;
import ai.molecule.proxy.tasks.PgRunning;
import ai.molecule.proxy.tasks.TaskLog;
import ai.molecule.proxy.tasks.TaskRoutes;
import ai.molecule.proxy.traces.AgentSpanRoutes;
import ai.molecule.proxy.transcripts.AgentTranscripts;
import ai.molecule.proxy.transcripts.TranscriptRoutes;
import ai.molecule.proxy.waiting.PgReleasedCalls;
import ai.molecule.proxy.waiting.PgWaitStore;
import ai.molecule.proxy.waiting.TaskWaits;
import ai.molecule.proxy.waiting.WaitingTasks;
import ai.molecule.proxy.webhooks.IncomingWebhooks;
import ai.molecule.proxy.webhooks.PgWebhooks;
import ai.molecule.proxy.webhooks.WebhookRoutes;
import ai.molecule.proxy.work.PgWorkSums;
import ai.molecule.proxy.work.PgWorks;
import ai.molecule.proxy.work.WorkRoutes;
import ai.molecule.proxy.work.Works;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Composition root: the only class that knows what the proxy is made of. One event loop serves it all. */
public final class ProxyVerticle extends VerticleBase {

    /** What streams may take to be handed to other replicas; part of the 8 s that a service has besides finishing its requests. */
    private static final Duration HAND_OVER = Duration.ofSeconds(1);

    private static final Duration FLUSH = Duration.ofSeconds(4);

    /** How often the registry is told for whom messages wait; it forgets that after 30 s. */
    private static final Duration WANT_CAPACITY = Duration.ofSeconds(10);

    /** How long a lost hint can keep the queue of a quarantined workspace open. */
    private static final Duration CLOSE_QUARANTINED = Duration.ofSeconds(1);

    /** What is open is looked at so often, should a hint be lost that its credential ended. */
    private static final Duration CREDENTIALS_AGAIN = Duration.ofSeconds(30);

    private static final Duration PRUNE = Duration.ofMinutes(10);
    private static final int PRUNED_MAX = 10_000;
    /** As long as the work that they became. */
    private static final Duration DELIVERIES_KEPT = Duration.ofDays(90);

    private static final Duration RUN_DEADLINE = Duration.ofSeconds(10);
    private static final Loop.Times MAKERS = new Loop.Times(Duration.ofMinutes(1), Duration.ofSeconds(1), RUN_DEADLINE);

    private final ProxyConfig config;
    private final UnaryOperator<WorkStore> work;
    private final UnaryOperator<QueueStore> waitingStore;
    private final UnaryOperator<ScheduleStore> scheduleStore;
    private final Shutdown shutdown = new Shutdown();
    private @Nullable HttpServer server;
    private @Nullable HttpServer agentsServer;
    private List<RoutePage.Entry> routes = List.of();

    public ProxyVerticle(ProxyConfig config) {
        this(config, store -> store, store -> store, store -> store);
    }

    /** @param work, waitingStore, scheduleStore stand between a runner and its store, where tests let it fail */
    ProxyVerticle(
            ProxyConfig config,
            UnaryOperator<WorkStore> work,
            UnaryOperator<QueueStore> waitingStore,
            UnaryOperator<ScheduleStore> scheduleStore) {
        this.config = config;
        this.work = work;
        this.waitingStore = waitingStore;
        this.scheduleStore = scheduleStore;
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

    private Future<Void> serve(ServiceContext opened) {
        shutdown.at(Step.REQUESTS, opened::finish);
        opened.firstAnswer().of(() -> opened.bus().call(VerifyToken.CONTRACT, new VerifyToken(null, null)));
        shutdown.at(Step.SERVICE, opened::close);
        var platform = config.platform();
        var credentials = new BusCredentials(opened.bus());
        var guards = new Guards(platform, credentials);
        var open = new CredentialWatch<Object>(vertx, opened.bus(), CREDENTIALS_AGAIN);
        var rules = AddressRules.forDialling(platform.environment() == Environment.DEVELOPMENT, platform.saas())
                .opening(platform.agentNetworks());
        var agents = SafeDialer.ofAgents(vertx, rules, config.a2a().connect(), platform.agentUids());
        shutdown.at(Step.CONNECTIONS, agents::close);
        var activity = new ActivityLog(opened.bus(), Clock.systemUTC());
        var self = UUID.randomUUID();
        var tasks = new TaskLog(opened, self, config.keepWork());
        var rows = new ActivityWriter(
                vertx,
                activity,
                said -> tasks.append(activity, said),
                config.activity(),
                opened.reconcilers().add("activity-rows", "writes down what was said"),
                opened.meters());
        shutdown.at(Step.ACTIVITY_ROWS, () -> rows.flush(FLUSH));
        shutdown.at(Step.ACTIVITY_ROWS, tasks::stop);
        var ids = new RowIds(Clock.systemUTC(), RandomGenerator.getDefault()); // row ids need be unique, not secret
        var journal = new PgStreamStore(opened.database());
        var passing = new Streams(
                vertx,
                opened.bus(),
                journal,
                config.a2a().relay(),
                config.journal(),
                self,
                opened.reconcilers().add("stream-journal", "writes down what agents stream"),
                opened.meters());
        shutdown.at(Step.STREAMS, () -> passing.stop(HAND_OVER));
        var admission = new PgQueueEntries(ids, config.queue());
        var queued = new PgQueueStore(opened.database(), admission, activity);
        var log = new PgDelegationLog(opened.database(), activity);
        var known = new KnownTasks(opened);
        shutdown.at(Step.ACTIVITY_ROWS, known::stop);
        var given = new DelegationService(
                new PgDelegationStore(log, admission, ids),
                new PassportBook(opened.bus()),
                tasks::settle,
                UUID::randomUUID,
                config.delegations().deadline());
        var queue = new QueueService(queued, opened.bus(), config.queue().keep());
        var waits = new TaskWaits(new PgWaitStore(opened.database()), new PgReleasedCalls(opened.database()));
        var running = new PgRunning(opened.pool(), tasks);
        var push = new Push(opened, guards, agents, config.push());
        shutdown.at(Step.LEASES, push::stop);
        var messages = A2a.of(
                opened,
                guards,
                open,
                agents,
                rows,
                given,
                queue,
                waits,
                tasks,
                known,
                push.service(),
                passing,
                ids,
                config.a2a());
        var keeper = new StreamKeeping(
                vertx,
                passing,
                journal,
                config.journal(),
                messages.calls().line(),
                opened.reconcilers(),
                opened.meters());
        shutdown.at(Step.ADOPTIONS, keeper::stop);
        shutdown.at(Step.CALLS, messages.calls()::stop);
        var delegations = carryOut(opened, given, messages, new PgWorkStore(log, admission));
        count(opened);
        var schedules = new Schedules(opened, messages, admission, ids, scheduleStore, config.schedules());
        var endings = new QueueRecords(
                messages.dispatch(),
                (deferred, ending) -> given.ended(deferred, ending)
                        .compose(heard -> schedules.listener().ended(deferred, ending)));
        var draining = drain(opened, queue, queued, messages.dispatch(), endings);
        shutdown.at(Step.LEASES, schedules::stop);
        var waiting = new WaitingTasks(
                opened, waits, messages.dispatch(), messages.calls(), given::ended, endings, delegations::poke);
        shutdown.at(Step.LEASES, waiting::stop);
        var entrance = new FrontDoor(vertx, platform, config.owners(), opened.reconcilers(), config.frontDoor());
        shutdown.at(Step.FRONT_DOOR, entrance::close);
        var previews = Previews.of(opened, guards, open, config.agentsHost());
        shutdown.at(Step.FRONT_DOOR, previews::close);
        var charts = new OrgChartCache(opened.bus(), platform.orgId());
        var spending = new PgSpending(opened.database());
        var models = Models.of(opened, guards, open, charts, agents, tasks, spending, config.models())
                .start();
        shutdown.at(Step.CALLS, models::stop);
        var works = new Works(new PgWorks(opened.database(), admission), tasks, opened.bus());
        var webhooks = new PgWebhooks(opened.database());
        prune(opened, "webhook-pruning", "forgets what came in long ago", max -> webhooks.forget(DELIVERIES_KEPT, max));
        var incoming = new IncomingWebhooks(webhooks, works, opened.bus(), Clock.systemUTC());
        watchMakers(opened, incoming);
        var page = ProxyRouter.page(
                opened,
                guards,
                open,
                messages,
                new DelegationRoutes(given, guards),
                new QueueRoutes(queue),
                new TaskRoutes(tasks),
                new TranscriptRoutes(new AgentTranscripts(vertx, opened.bus(), agents)),
                schedules.routes(charts),
                new WorkRoutes(works, guards, charts),
                new WebhookRoutes(incoming, guards, charts),
                new AgentSpanRoutes(guards, Tracing.of(vertx)),
                new AgentsDoor(platform, credentials),
                new CanvasBeside(entrance, guards, platform),
                models,
                new SpendingRoutes(spending),
                previews.routes(),
                config);
        routes = page.entries();
        var router = page.router();
        return keeper.start()
                .compose(seen -> models.ready())
                .compose(seen -> waiting.start())
                .onSuccess(seen -> {
                    delegations.start();
                    tasks.start(
                            () -> Stream.concat(messages.calls().tasks().stream(), passing.known().stream())
                                    .collect(Collectors.toSet()),
                            keeper::judgesUntil);
                    known.start();
                    push.start(messages.tasks()::look);
                })
                .compose(seen -> schedules.start(draining::poke))
                .compose(seen -> opened.bus().serve(SendAsSystem.CONTRACT, messages.system()::send))
                .compose(seen -> opened.bus().serve(ModelSpend.CONTRACT, models::spent))
                .compose(seen -> opened.bus().serve(TeamSpend.CONTRACT, models::spent))
                .compose(seen -> opened.bus().serve(RunningWith.CONTRACT, running::with))
                .compose(seen -> opened.bus().serve(AtWork.CONTRACT, new PgAtWork(opened.pool(), tasks)::of))
                .compose(seen -> opened.bus().serve(TasksAt.CONTRACT, running::at))
                .compose(seen -> opened.bus().serve(WaitsBehind.CONTRACT, running::behind))
                .compose(seen -> opened.bus().serve(WorkBetween.CONTRACT, new PgWorkSums(opened.database())::between))
                .compose(seen -> opened.bus().serve(AskForWork.CONTRACT, works::ask))
                .compose(seen -> opened.bus().serve(WorkAnswers.CONTRACT, works::answers))
                .compose(seen -> opened.listen(config.port(), previews.door().before(router)))
                .onSuccess(listening -> server = listening)
                .compose(listening -> listenForAgents(
                        opened, listening.actualPort(), previews.door().before(router)))
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

    private void count(ServiceContext opened) {
        var report = opened.reconcilers().add("backlog", "counts what waits");
        var backlog = new Backlog(vertx, new PgBacklogStore(opened.database()), report, opened.meters());
        backlog.start();
        shutdown.at(Step.TIMERS, backlog::stop);
    }

    private LeaseRunner<Delegation> carryOut(
            ServiceContext opened, DelegationService given, A2a messages, WorkStore delegations) {
        var limits = config.delegations();
        var store = work.apply(delegations);
        var runner = new LeaseRunner<>(
                vertx,
                store,
                new DelegationRun(vertx, store, messages.dispatch(), messages.policy(), limits),
                limits.pace(),
                opened.reconcilers(),
                "delegations",
                "carries out what was delegated");
        given.tell(runner::poke);
        prune(opened, "delegation-pruning", "forgets what ended long ago", max -> given.prune(limits.keep(), max));
        shutdown.at(Step.LEASES, runner::stop);
        return runner;
    }

    private LeaseRunner<QueueItem> drain(
            ServiceContext opened,
            QueueService queue,
            QueueStore queued,
            Dispatch dispatch,
            QueueOutcomeListener ends) {
        var limits = config.queue();
        queue.tell(ends);
        var store = waitingStore.apply(queued);
        var run = new QueueRun(vertx, store, dispatch, ends, config.a2a().upstream(), limits);
        var runner = new LeaseRunner<>(
                vertx,
                store,
                run,
                limits.pace(),
                opened.reconcilers(),
                "queue",
                "takes messages to agents that were busy");
        prune(opened, "queue-pruning", "forgets messages whose wait ended long ago", queue::prune);
        opened.bus()
                .listen(DrainQueue.HINT, hint -> queue.hurry(hint.workspaceId()).onSuccess(due -> runner.poke()));
        run.tell(runner::poke);
        every(
                CLOSE_QUARANTINED,
                opened,
                "queue-closing",
                "ends what waits for quarantined workspaces",
                () -> queue.closeQuarantined(dispatch));
        opened.bus().listen(WorkspaceChanged.HINT, hint -> queue.changed(hint.workspaceId(), dispatch));
        vertx.setPeriodic(WANT_CAPACITY.toMillis(), tick -> queue.wantCapacity());
        runner.start();
        shutdown.at(Step.LEASES, runner::stop);
        return runner;
    }

    /** Who may act where changes with people, their roles and tenants, of which a hint tells, and with the org chart. */
    private void watchMakers(ServiceContext opened, IncomingWebhooks incoming) {
        var report = opened.reconcilers().add("webhook-makers", "tells of webhooks whose makers may not act any more");
        var loop = new Loop(vertx, report, "the registry", MAKERS, incoming::tellPaused).start();
        opened.bus().listen(TokensChanged.HINT, hint -> {
            if (hint.workspaceId() == null) {
                loop.poke();
            }
        });
        shutdown.at(Step.TIMERS, loop::stop);
    }

    private void prune(ServiceContext opened, String name, String purpose, IntFunction<Future<Integer>> batch) {
        var report = opened.reconcilers().add(name, purpose);
        var pruning = new Pruning(vertx, report, PRUNE, PRUNED_MAX, batch).start();
        shutdown.at(Step.TIMERS, pruning::stop);
    }

    private void every(
            Duration period, ServiceContext opened, String name, String purpose, Supplier<? extends Future<?>> run) {
        var times = new Loop.Times(period, RUN_DEADLINE);
        var loop = new Loop(vertx, opened.reconcilers().add(name, purpose), "PostgreSQL", times, run).start();
        shutdown.at(Step.TIMERS, loop::stop);
    }
}
