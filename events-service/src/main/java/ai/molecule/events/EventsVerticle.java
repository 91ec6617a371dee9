package ai.molecule.events;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.events.CallsSince;
import ai.molecule.common.bus.hints.ActivityArrived;
import ai.molecule.common.bus.hints.EventsNumbered;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.config.Door;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.Sql;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.events.Sequencer;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.http.RuledTools;
import ai.molecule.common.loops.LongPolls;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.loops.Pruning;
import ai.molecule.common.policy.PolicyVerdicts;
import ai.molecule.common.redis.FixedWindow;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.events.activity.ActivityQuota;
import ai.molecule.events.activity.ActivityRetention;
import ai.molecule.events.activity.ActivityRoutes;
import ai.molecule.events.activity.ActivityService;
import ai.molecule.events.activity.PgActivityDayStore;
import ai.molecule.events.activity.PgActivitySearch;
import ai.molecule.events.activity.PgActivityStore;
import ai.molecule.events.activity.ShownPassports;
import ai.molecule.events.audit.AuditChain;
import ai.molecule.events.audit.AuditRoutes;
import ai.molecule.events.audit.PgAuditStore;
import ai.molecule.events.chats.Chats;
import ai.molecule.events.history.HistoryRoutes;
import ai.molecule.events.history.HistoryService;
import ai.molecule.events.history.PgSnapshotStore;
import ai.molecule.events.hub.Hub;
import ai.molecule.events.hub.LogTail;
import ai.molecule.events.hub.PeerAddresses;
import ai.molecule.events.hub.SubscriberLimits;
import ai.molecule.events.hub.TailMeters;
import ai.molecule.events.hub.TokenWatch;
import ai.molecule.events.inbox.InboxRoutes;
import ai.molecule.events.inbox.InboxService;
import ai.molecule.events.inbox.PgInboxStore;
import ai.molecule.events.log.LogRoutes;
import ai.molecule.events.log.LogService;
import ai.molecule.events.log.PgLogStore;
import ai.molecule.events.notifications.Notifications;
import ai.molecule.events.notify.NotifyRoutes;
import ai.molecule.events.notify.NotifyService;
import ai.molecule.events.pages.PageRoutes;
import ai.molecule.events.search.SessionSearchRoutes;
import ai.molecule.events.search.SessionSearchService;
import ai.molecule.events.sockets.PgTicketStore;
import ai.molecule.events.sockets.RedisTicketStore;
import ai.molecule.events.sockets.SocketGate;
import ai.molecule.events.sockets.SocketPings;
import ai.molecule.events.sockets.SocketRoutes;
import ai.molecule.events.sockets.TicketService;
import ai.molecule.events.streams.StreamRoutes;
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

/** Composition root: the only class that knows with which stores, clock and intervals the service runs. One event loop. */
public final class EventsVerticle extends VerticleBase {

    private static final int GOODBYE_SECONDS = 2;
    private static final Duration SNAPSHOT_LOOK_EVERY = Duration.ofHours(1);

    private static final Duration AUDIT_FORGET_EVERY = Duration.ofHours(1);
    private static final Duration INBOX_FORGET_EVERY = Duration.ofMinutes(10);
    private static final int INBOX_FORGOTTEN_MAX = 10_000;

    /** At most twenty looks a second, however many events are numbered. */
    private static final Loop.Times INBOX_TIMES =
            new Loop.Times(Duration.ofSeconds(1), Duration.ofMillis(50), Duration.ofSeconds(12));

    /** A day's activity, or half a million events, may be deleted in a run. */
    private static final Duration RUN_MAX = Duration.ofMinutes(10);

    private final EventsConfig config;
    private final Intervals intervals;
    private final List<Loop> loops = new ArrayList<>();
    private final List<Pruning> prunings = new ArrayList<>();
    private List<Supplier<Future<?>>> closing = List.of();
    private List<RoutePage.Entry> routes = List.of();
    private @Nullable HttpServer server;
    private @Nullable Notifications telling;
    private @Nullable Chats chatting;

    /** What tests make shorter. */
    record Intervals(
            Duration pingEvery,
            Duration silenceMax,
            Duration keepAliveEvery,
            Duration notificationPause,
            Duration messengerWait) {
        static final Intervals REGULAR = new Intervals(
                SocketPings.PING_EVERY,
                SocketPings.SILENCE_MAX,
                StreamRoutes.KEEP_ALIVE_EVERY,
                Duration.ofSeconds(10),
                Duration.ofSeconds(10));
    }

    public EventsVerticle(EventsConfig config) {
        this(config, Intervals.REGULAR);
    }

    EventsVerticle(EventsConfig config, Intervals intervals) {
        this.config = config;
        this.intervals = intervals;
    }

    /** The port it listens on; 0 before it was deployed. */
    public int actualPort() {
        return server == null ? 0 : server.actualPort();
    }

    /** Every route with its guard, once deployed. */
    public List<RoutePage.Entry> routes() {
        return routes;
    }

    @Override
    public Future<?> start() {
        return ServiceContext.open(vertx, config.platform(), "events").compose(this::start);
    }

    private Future<?> start(ServiceContext opened) {
        var bus = opened.bus();
        opened.firstAnswer().of(() -> bus.call(VerifyToken.CONTRACT, new VerifyToken(null, null)));
        var clock = Clock.systemUTC();
        var charts = new OrgChartCache(bus, config.platform().orgId());
        var log = new PgLogStore(opened.database());
        var arrivals = new LongPolls(vertx);
        var keeping = Postgres.ownersPool(vertx, config.platform().databaseUrl(), "events");
        var retention = new ActivityRetention(
                new PgActivityDayStore(keeping, config.activityBytesPerDay()), clock, config.activityRetentionDays());
        var activityLog = new ActivityLog(bus, clock);
        var searching = Postgres.searchPool(vertx, opened.database().url(), "events");
        var activityStore = new PgActivityStore(opened.database(), Sql.of(searching), activityLog, retention, clock);
        var activitySearch = new PgActivitySearch(Sql.of(searching));
        var activity = new ActivityService(activityStore, activityLog, arrivals);
        bus.listen(ActivityArrived.HINT, arrived -> arrivals.announce(arrived.workspaceIds()));
        bus.listen(WorkspacesPurged.HINT, activity::forget);
        var liveHub = new Hub(
                vertx,
                log,
                charts,
                opened.reconcilers().add("agent-delivery", "shows agents the events that they may hear"));
        var following = new LogTail(
                vertx,
                log,
                liveHub,
                bus,
                opened.reconcilers().add("log-tail", "shows recorded events to who listens"),
                new TailMeters(opened.meters(), clock));
        var numbering = new Sequencer(
                vertx, opened.database(), bus, opened.reconcilers().add("sequencer", "numbers committed events"));
        var audit = new PgAuditStore(opened.database());
        var chain = new AuditChain(
                vertx, audit, bus, numbering, opened.reconcilers().add("audit-chain", "links what was recorded"));
        Supplier<Future<?>> goodbyes = () -> {
            loops.forEach(Loop::stop);
            prunings.forEach(Pruning::stop);
            following.stop();
            if (telling != null) {
                telling.stop();
            }
            if (chatting != null) {
                chatting.stop();
            }
            arrivals.close();
            return liveHub.close().timeout(GOODBYE_SECONDS, TimeUnit.SECONDS);
        };
        closing = List.of(
                chain::seal,
                goodbyes,
                opened::finish,
                searching::close,
                keeping::close,
                () -> telling == null ? Future.succeededFuture() : telling.close(),
                () -> chatting == null ? Future.succeededFuture() : chatting.close(),
                chain::stop,
                numbering::stop,
                opened::close);
        opened.meters().gauge("molecule.websocket.connections.active", liveHub, Hub::size);

        var logService = new LogService(log, (time, unit) -> vertx.timer(time, unit));
        var history = new HistoryService(
                new PgSnapshotStore(opened.database()), log, logService, clock, config.eventRetention(), bus);
        repeat(
                opened,
                SNAPSHOT_LOOK_EVERY,
                "history",
                "keeps the event log, and org charts of the past, as long as they are wanted",
                history::run);

        repeat(
                opened,
                AUDIT_FORGET_EVERY,
                "audit-retention",
                "keeps the record of who did what as long as it is wanted",
                () -> audit.forget(clock.instant().minus(config.auditRetention())));

        var inbox = new InboxService(new PgInboxStore(opened.database()), logService, charts, bus, clock);
        var chats = new Chats(vertx, opened, config, charts, intervals.messengerWait(), intervals.notificationPause());
        chatting = chats;
        var notifications =
                new Notifications(vertx, opened, config, charts, chats, intervals.notificationPause(), clock);
        telling = notifications;
        keepInbox(opened, inbox, notifications);
        var page = routePage(
                opened,
                charts,
                logService,
                history,
                audit,
                inbox,
                activityStore,
                activitySearch,
                activity,
                liveHub,
                notifications,
                chats,
                clock);
        routes = page.entries();
        numbering.start();
        chain.start();
        return retention
                .makeRoom()
                .onSuccess(prepared -> repeat(
                        opened,
                        config.activityCleanupInterval(),
                        "activity-retention",
                        "drops activity that is too old, a day at a time",
                        retention::run))
                .compose(prepared -> bus.serve(CallsSince.CONTRACT, activityStore::callsSince))
                .compose(serving -> following.start())
                .onSuccess(serving -> {
                    notifications.start();
                    chats.start();
                })
                .compose(serving -> opened.listen(config.port(), page.router()))
                .onSuccess(listening -> server = listening);
    }

    /** Now, so that a platform that never runs for long keeps to it too, and then at every interval. */
    private void repeat(
            ServiceContext opened, Duration every, String name, String purpose, Supplier<Future<Void>> run) {
        var report = opened.reconcilers().add(name, purpose);
        var loop = new Loop(vertx, report, "PostgreSQL", new Loop.Times(every, RUN_MAX), run).start();
        loop.poke();
        loops.add(loop);
    }

    /** Follows the log: when events were numbered, and on a timer in case that was not heard. */
    private void keepInbox(ServiceContext opened, InboxService inbox, Notifications notifications) {
        var report = opened.reconcilers().add("inbox", "keeps what waits for a person up with the event log");
        var loop = new Loop(
                        vertx,
                        report,
                        "PostgreSQL",
                        INBOX_TIMES,
                        () -> inbox.run().onSuccess(did -> notifications.poke()))
                .start();
        opened.bus().listen(EventsNumbered.HINT, numbered -> loop.poke());
        loop.poke();
        loops.add(loop);
        prunings.add(new Pruning(
                        vertx,
                        opened.reconcilers().add("inbox-resolved", "forgets what left the inbox long ago"),
                        INBOX_FORGET_EVERY,
                        INBOX_FORGOTTEN_MAX,
                        inbox::forget)
                .start());
    }

    private RoutePage routePage(
            ServiceContext opened,
            OrgChartCache charts,
            LogService logService,
            HistoryService history,
            PgAuditStore audit,
            InboxService inbox,
            PgActivityStore activityStore,
            PgActivitySearch activitySearch,
            ActivityService activity,
            Hub liveHub,
            Notifications notifications,
            Chats chats,
            Clock clock) {
        var platform = config.platform();
        var guards =
                new Guards(platform, new BusCredentials(opened.bus())); // before what hears the same hints and asks it
        var edge = new Edge(platform);
        var limits =
                new SubscriberLimits(config.socketsPerAddress(), config.socketsPerCredential(), platform.hatchOpen());
        var reports = new FixedWindow(
                opened.redis(),
                opened.sharedWindows(),
                clock,
                "rate:activity",
                config.activityReportsPerMinute(),
                Duration.ofMinutes(1));
        var quota = new ActivityQuota(reports, activityStore, platform.hatchOpen());
        var tickets = new TicketService(
                opened.redis().isPresent()
                        ? new RedisTicketStore(opened.redis())
                        : new PgTicketStore(opened.database()));
        var pulse = new SocketPings(vertx, intervals.pingEvery(), intervals.silenceMax());
        var tokens = new TokenWatch(vertx, opened.bus(), intervals.pingEvery());
        return EventsRouter.fill(
                new RoutePage(opened, guards)
                        .first(new RuledTools(
                                guards.credentials(), new PolicyVerdicts(opened.bus()), new Edge(platform))),
                new SocketRoutes(
                        new SocketGate(
                                platform,
                                guards,
                                tickets,
                                PeerAddresses.of(!platform.isOpen(Door.PEERS), config.frontDoorUrl())),
                        tickets,
                        liveHub,
                        limits,
                        pulse,
                        tokens,
                        platform),
                new LogRoutes(logService, charts),
                new HistoryRoutes(history, charts),
                new AuditRoutes(audit, charts),
                new InboxRoutes(inbox, charts, guards),
                notifications.routes(),
                chats.routes(),
                new StreamRoutes(liveHub, charts, guards, limits, tokens, edge, intervals.keepAliveEvery()),
                new ActivityRoutes(
                        activity, quota, new ShownPassports(opened.bus()), charts, clock, edge, config.publicUrl()),
                new NotifyRoutes(new NotifyService(charts, activity, quota, opened.bus(), clock)),
                new SessionSearchRoutes(new SessionSearchService(activitySearch, opened.bus())),
                new PageRoutes());
    }

    /** Says goodbye to the clients first, so that they reconnect elsewhere and not into an error. */
    @Override
    public Future<?> stop() {
        Future<?> stopped = Future.succeededFuture();
        for (var close : closing) {
            stopped = stopped.eventually(() -> close.get());
        }
        return stopped.otherwiseEmpty();
    }
}
