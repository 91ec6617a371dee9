package ai.molecule.proxy.known;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.RepeatedWrites;
import ai.molecule.common.loops.GroupCommit;
import ai.molecule.common.loops.Pruning;
import ai.molecule.common.service.ServiceContext;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes down how tasks of agents stand and tells which there are. What finds no room is left out. To be used on one event loop. */
public final class KnownTasks {

    /** An outage is waited for however long it takes, with no more than this in memory: each try has a time-out of its own. */
    private static final GroupCommit.Bounds BOUNDS =
            new GroupCommit.Bounds(256, 4L << 20, 8_192, 16L << 20, Duration.ofMillis(10), Duration.ofDays(1));

    /** Whoever reads waits no longer for what was noted. */
    private static final Duration FLUSH_MAX = Duration.ofSeconds(10);

    /** Besides the status itself, about. */
    private static final int ROW_BYTES = 256;

    /** As long as activity by default. */
    private static final Duration KEEP = Duration.ofDays(7);

    private static final int FORGOTTEN_AT_ONCE_MAX = 5_000;
    private static final Duration FORGET = Duration.ofMinutes(1);

    /**
     * What was seen of a task.
     *
     * @param begins whether it answers a message; what answers a question about a task makes none known
     */
    record Note(KnownTask task, boolean begins) {}

    /** A place in the list: behind that task. */
    public record After(Instant at, String taskId) {}

    /**
     * @param asker whose tasks are listed; null for all
     * @param state as 0.3 writes it
     * @param after null for the first page
     */
    public record Question(
            UUID workspaceId,
            @Nullable UUID asker,
            @Nullable String contextId,
            @Nullable String state,
            @Nullable Instant since,
            @Nullable After after,
            int size) {}

    /**
     * @param tasks whose status changed last comes first
     * @param more whether others follow
     * @param total of all pages, counted up to {@value PgKnownTasks#COUNTED_MAX}
     */
    public record Page(List<KnownTask> tasks, boolean more, int total) {}

    private final PgKnownTasks store;
    private final GroupCommit<Note> group;
    private final Pruning forgetting;
    private final Counter leftOut;
    private final RepeatedWrites writes;
    private boolean stopped;

    public KnownTasks(ServiceContext service) {
        this.store = new PgKnownTasks(service.database());
        this.writes = new RepeatedWrites(service.vertx(), () -> stopped);
        this.group = new GroupCommit<>(
                service.vertx(),
                BOUNDS,
                note -> ROW_BYTES + note.task().status().length(),
                ApiError.unavailable("too many tasks change to be written down"),
                notes -> writes.outlive(() -> store.write(notes).<Void>mapEmpty()));
        this.forgetting = new Pruning(
                service.vertx(),
                service.reconcilers().add("known-tasks", "forgets tasks of agents that changed long ago"),
                FORGET,
                FORGOTTEN_AT_ONCE_MAX,
                max -> store.forget(KEEP, max));
        this.leftOut = service.meters().counter("molecule.tasks.known.left.out");
    }

    public void start() {
        forgetting.start();
    }

    /** Completes when all that was noted is written, or could not be. */
    public Future<?> stop() {
        stopped = true;
        return Future.join(forgetting.stop(), group.stop());
    }

    /** Never fails and waits for nothing. */
    public void note(KnownTask task, boolean begins) {
        group.add(new Note(task, begins)).onFailure(lost -> leftOut.increment());
    }

    /**
     * Whether somebody else than {@code asker} began the task of that id, or the one that the message of that id became. What nobody saw begin
     * is nobody else's.
     */
    public Future<Boolean> isOfAnother(
            UUID workspaceId, UUID asker, @Nullable String taskId, @Nullable String messageId) {
        return written().compose(written -> store.isOfAnother(workspaceId, asker, taskId, messageId));
    }

    public Future<Page> list(Question question) {
        return written().compose(written -> store.page(question));
    }

    private Future<Void> written() {
        return writes.isAway()
                ? Future.succeededFuture()
                : group.flush()
                        .timeout(FLUSH_MAX.toMillis(), TimeUnit.MILLISECONDS)
                        .otherwiseEmpty();
    }
}
