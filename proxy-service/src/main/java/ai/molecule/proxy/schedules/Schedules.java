package ai.molecule.proxy.schedules;

import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.common.bus.proxy.SetSchedules;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.loops.Pruning;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.a2a.A2a;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.leases.LeaseRunner;
import ai.molecule.proxy.queue.PgQueueEntries;
import ai.molecule.proxy.queue.QueueOutcomeListener;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The parts of this folder, put together. */
public final class Schedules {

    private static final Duration CLOSE_REMOVED = Duration.ofSeconds(1);
    private static final Duration PRUNE = Duration.ofMinutes(10);
    private static final int PRUNED_MAX = 10_000;
    private static final Duration RUN_DEADLINE = Duration.ofSeconds(10);

    private final ServiceContext opened;
    private final A2a messages;
    private final ScheduleStore store;
    private final ScheduleLimits limits;
    private final ScheduleService service;
    private final List<Supplier<Future<?>>> endings = new ArrayList<>();

    /**
     * @param queue where runs wait for their agents
     * @param between stands between the runner and its store, where tests let it fail
     */
    public Schedules(
            ServiceContext opened,
            A2a messages,
            PgQueueEntries queue,
            RowIds ids,
            UnaryOperator<ScheduleStore> between,
            ScheduleLimits limits) {
        this.opened = opened;
        this.messages = messages;
        this.limits = limits;
        var schedules = new PgSchedules(opened.database(), queue, ids);
        this.store = between.apply(schedules);
        this.service = new ScheduleService(schedules, opened.bus(), messages.dispatch());
    }

    /** Hears how the messages of runs ended. */
    public QueueOutcomeListener listener() {
        return service;
    }

    public ScheduleRoutes routes(OrgChartCache charts) {
        return new ScheduleRoutes(service, messages.admission(), charts);
    }

    /** @param queued is told that a message waits to be taken to its agent */
    public Future<Void> start(Runnable queued) {
        var run = new ScheduleRun(store, messages.calls().routes(), messages.dispatch(), queued);
        var runner = new LeaseRunner<>(
                opened.vertx(),
                store,
                run,
                limits.pace(),
                opened.reconcilers(),
                "schedules",
                "fires what is due by the clock");
        service.tell(runner::poke, queued);
        runner.start();
        endings.add(runner::stop);
        every(
                limits.settle(),
                "schedule-runs",
                "ends runs that the queue ended without a word",
                () -> service.settle(limits.untoldAfter()));
        every(CLOSE_REMOVED, "schedule-closing", "switches off what removed workspaces had", service::closeRemoved);
        var report = opened.reconcilers().add("schedule-pruning", "forgets runs of long ago");
        endings.add(new Pruning(opened.vertx(), report, PRUNE, PRUNED_MAX, service::prune).start()::stop);
        opened.bus().listen(WorkspaceChanged.HINT, hint -> service.changed(hint.workspaceId()));
        opened.bus().listen(WorkspacesPurged.HINT, hint -> service.purged(hint.workspaceIds()));
        return opened.bus().serve(SetSchedules.CONTRACT, service::put);
    }

    public Future<?> stop() {
        return Future.join(endings.stream().map(Supplier::get).toList());
    }

    private void every(Duration period, String name, String purpose, Supplier<? extends Future<?>> run) {
        var times = new Loop.Times(period, RUN_DEADLINE);
        endings.add(
                new Loop(opened.vertx(), opened.reconcilers().add(name, purpose), "PostgreSQL", times, run).start()
                        ::stop);
    }
}
