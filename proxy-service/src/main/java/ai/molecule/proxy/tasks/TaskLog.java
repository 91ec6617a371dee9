package ai.molecule.proxy.tasks;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.RepeatedWrites;
import ai.molecule.common.loops.GroupCommit;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.loops.Pruning;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.tasks.TaskNote.Begun;
import ai.molecule.proxy.tasks.TaskNote.Over;
import ai.molecule.proxy.tasks.TaskNote.Whole;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Writes begins and ends of tasks down in groups and tells them. A begin lingers for a moment, so that a task that is over by then is one
 * row that is written once; whatever would have to find it in the database has it written first. To be used on one event loop.
 */
public final class TaskLog {

    /** Longer than an agent that does not think needs for its answer; and another replica knows of a begin that much later. */
    static final Duration LINGER = Duration.ofMillis(100);

    /**
     * Apart for longer than rows of activity are, so that these take along what was noted with them. An outage is waited for however long it
     * takes, with no more than this in memory: each try has a time-out of its own.
     */
    private static final GroupCommit.Bounds BOUNDS =
            new GroupCommit.Bounds(256, 4L << 20, 8_192, 32L << 20, Duration.ofMillis(15), Duration.ofDays(1));

    /** Whoever reads waits no longer for what was noted. */
    private static final Duration FLUSH_MAX = Duration.ofSeconds(10);

    private static final Loop.Times TIMES = new Loop.Times(Duration.ofSeconds(10), Duration.ofSeconds(10));

    /** Longer than a proxy's streams need to be adopted. */
    private static final Duration UNSEEN = Duration.ofSeconds(30);

    /** As long as activity by default. */
    private static final Duration KEEP_TASKS = Duration.ofDays(7);

    private static final int AT_ONCE_MAX = 1_000;

    private static final Duration PRUNE = Duration.ofSeconds(10);

    /** Each with all its tasks and words. */
    private static final int WORKS_AT_ONCE_MAX = 20;

    private final Vertx vertx;
    private final UUID owner;
    private final PgTaskLog store;
    private final PgTaskList list;
    private final TaskEvents events;
    private final LingeringBegins lingering = new LingeringBegins();
    private final AgentsAtWork atWork = new AgentsAtWork();
    private final GroupCommit<TaskNote> group;
    private final RepeatedWrites writes;
    private final Loop loop;
    private final List<Pruning> prunings;
    private final Counter leftOut;
    private Supplier<Set<UUID>> underWay = Set::of;
    private Supplier<Optional<Instant>> judgesUntil = Optional::empty;
    private boolean armed;
    private boolean stopped;

    /**
     * @param owner this proxy, for as long as it runs
     * @param keepWorks how long a work is kept after its end
     */
    public TaskLog(ServiceContext service, UUID owner, Duration keepWorks) {
        var keeping = new PgTaskKeeping(service.pool());
        this.vertx = service.vertx();
        this.owner = owner;
        this.store = new PgTaskLog(service.pool());
        this.list = new PgTaskList(service.pool());
        this.events = new TaskEvents(service.bus());
        this.writes = new RepeatedWrites(vertx, () -> stopped);
        this.group = new GroupCommit<>(
                vertx,
                BOUNDS,
                TaskNote::bytes,
                ApiError.unavailable("too many tasks begin and end to be written down"),
                this::write);
        this.loop = new Loop(
                vertx,
                service.reconcilers().add("tasks", "ends tasks that nobody works on any more"),
                "PostgreSQL",
                TIMES,
                () -> lost(keeping)
                        .compose(lost -> writes.isAway()
                                ? Future.succeededFuture(lost)
                                : keeping.forgotten(owner, underWay.get(), UNSEEN, AT_ONCE_MAX)));
        this.prunings = List.of(
                new Pruning(
                        vertx,
                        service.reconcilers().add("run-pruning", "forgets runs that ended long ago"),
                        PRUNE,
                        WORKS_AT_ONCE_MAX,
                        max -> keeping.pruneWorks(keepWorks, max)),
                new Pruning(
                        vertx,
                        service.reconcilers().add("task-pruning", "forgets old tasks of no run"),
                        PRUNE,
                        AT_ONCE_MAX,
                        max -> keeping.pruneTasks(KEEP_TASKS, max)));
        this.leftOut = service.meters().counter("molecule.tasks.left.out");
    }

    /**
     * @param ids of the tasks that calls and streams of this proxy are about: of the others that it began it ends those that run
     * @param judges until when proxies may be called dead that were not seen; empty while they may not
     */
    public void start(Supplier<Set<UUID>> ids, Supplier<Optional<Instant>> judges) {
        underWay = ids;
        judgesUntil = judges;
        loop.start();
        prunings.forEach(Pruning::start);
    }

    /** Completes when all that was noted is written, or could not be. */
    public Future<?> stop() {
        stopped = true;
        add(lingering.takeAll());
        return Future.join(
                loop.stop(),
                group.stop(),
                Future.join(prunings.stream().map(Pruning::stop).toList()));
    }

    private Future<Integer> lost(PgTaskKeeping keeping) {
        var until = judgesUntil.get();
        return until.isEmpty() ? Future.succeededFuture(0) : keeping.lost(UNSEEN, until.get(), AT_ONCE_MAX);
    }

    /** Never fails and waits for nothing. */
    public void note(TaskNote note) {
        switch (note) {
            case Begun begun -> begun(begun);
            case Over over -> over(over);
            case Whole whole -> add(whole);
        }
    }

    /** Completes when all that was noted so far is written, or cannot be now. */
    public Future<Void> flush() {
        add(lingering.takeAll());
        return written();
    }

    /** Completes when all that an agent was seen to begin so far is written, or cannot be now: what it does next may belong to that. */
    public Future<Void> settle(UUID agent) {
        add(lingering.takeAt(agent, begun -> true));
        return written();
    }

    private Future<Void> written() {
        return writes.isAway()
                ? Future.succeededFuture()
                : group.flush()
                        .timeout(FLUSH_MAX.toMillis(), TimeUnit.MILLISECONDS)
                        .otherwiseEmpty();
    }

    /** Appends rows of activity, in one commit with what waits here at that time: what ends a task is a row, too, most times. */
    public Future<Set<UUID>> append(ActivityLog log, List<ActivityRow> rows) {
        var along = group.take().orElse(null);
        return along == null ? store.append(log, rows) : append(log, rows, along);
    }

    private Future<Set<UUID>> append(ActivityLog log, List<ActivityRow> rows, GroupCommit.Taken<TaskNote> along) {
        var notes = along.items();
        return store.write(owner, TaskBatch.of(notes, atWork), log, rows)
                .onSuccess(done -> events.tell(notes))
                .onSuccess(done -> vertx.runOnContext( // behind whoever appends, who takes along what came meanwhile
                        turnEnds -> along.outcome().complete()))
                .recover(failure -> {
                    write(notes)
                            .<Void>mapEmpty()
                            .onComplete(along.outcome()); // one that is bad costs the others nothing
                    return Postgres.outage(failure).isPresent()
                            ? Future.failedFuture(failure)
                            : store.append(log, rows);
                });
    }

    /** @param running whether those are listed too that have not ended */
    Future<ArrayNode> list(UUID workspace, boolean running, int limit) {
        return flush().compose(written -> list.of(workspace, running, limit));
    }

    private void begun(Begun begun) {
        writeWhatItMayBelongTo(begun);
        if (stopped) {
            add(begun);
            return;
        }
        add(lingering.hold(begun, System.nanoTime()));
        if (!armed) {
            arm();
        }
    }

    private void writeWhatItMayBelongTo(Begun begun) {
        var caller = begun.caller();
        if (caller != null) {
            if (atWork.isAtWork(caller)) {
                add(lingering.takeAt(caller, earlier -> true));
                atWork.add(begun.target());
            }
        } else {
            atWork.add(begun.target());
            if (begun.goesOn()) {
                add(lingering.takeAt(begun.target(), earlier -> earlier.caller() == null));
            }
        }
    }

    private void over(Over over) {
        var begun = lingering.take(over.id());
        var sameMessage = over.messageId() == null
                ? List.<Begun>of()
                : lingering.takeAt(over.target(), other -> Objects.equals(other.messageId(), over.messageId()));
        add(sameMessage);
        if (begun != null && !over.waits() && over.taskId() == null && sameMessage.isEmpty()) {
            add(new Whole(begun, over));
            return;
        }
        if (begun != null) {
            add(begun);
        }
        add(over);
    }

    private void arm() {
        armed = true;
        vertx.setTimer(LINGER.toMillis() / 2, late -> {
            add(lingering.takeOlderThan(System.nanoTime() - LINGER.toNanos()));
            if (lingering.isEmpty()) {
                armed = false;
            } else {
                arm();
            }
        });
    }

    private void add(List<Begun> begins) {
        begins.forEach(this::add);
    }

    private void add(TaskNote note) {
        group.add(note).onFailure(lost -> leftOut.increment());
    }

    private Future<?> write(List<TaskNote> notes) {
        return writes.outlive(
                        () -> store.write(owner, TaskBatch.of(notes, atWork)).<Void>mapEmpty())
                .onSuccess(done -> events.tell(notes));
    }
}
