package ai.molecule.proxy.tasks;

import ai.molecule.common.ApiError;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.GroupCommit;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.service.ServiceContext;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes begins and ends of tasks down in groups and tells them. To be used on one event loop. */
public final class TaskLog {

    private static final GroupCommit.Bounds BOUNDS =
            new GroupCommit.Bounds(256, 4L << 20, 8_192, 32L << 20, Duration.ofMillis(10), Duration.ofSeconds(10));

    private static final Loop.Times TIMES = new Loop.Times(Duration.ofSeconds(10), Duration.ofSeconds(10));

    /** Longer than a proxy's streams need to be adopted. */
    private static final Duration UNSEEN = Duration.ofSeconds(30);

    /** As long as activity by default. */
    private static final Duration KEEP_TASKS = Duration.ofDays(7);

    private static final int AT_ONCE_MAX = 1_000;

    private final ServiceContext service;
    private final UUID owner;
    private final PgTaskLog store;
    private final GroupCommit<TaskNote> group;
    private final Loop loop;
    private final Counter leftOut;

    /**
     * @param owner this proxy, for as long as it runs
     * @param keepWorks how long a work is kept after its end
     */
    public TaskLog(ServiceContext service, PgTaskLog store, UUID owner, Duration keepWorks) {
        this.service = service;
        this.owner = owner;
        this.store = store;
        this.group = new GroupCommit<>(
                service.vertx(),
                BOUNDS,
                TaskNote::bytes,
                ApiError.unavailable("too many tasks begin and end to be written down"),
                this::write);
        this.loop = new Loop(
                service.vertx(),
                service.reconcilers().add("tasks", "ends tasks of dead proxies and forgets old ones"),
                "PostgreSQL",
                TIMES,
                () -> store.lost(UNSEEN, AT_ONCE_MAX).compose(lost -> store.prune(KEEP_TASKS, keepWorks, AT_ONCE_MAX)));
        this.leftOut = service.meters().counter("molecule.tasks.left.out");
    }

    public void start() {
        loop.start();
    }

    /** Completes when all that was noted is written, or could not be. */
    public Future<?> stop() {
        return Future.join(loop.stop(), group.stop());
    }

    /** Never fails and waits for nothing. */
    public void note(TaskNote note) {
        group.add(note).onFailure(lost -> leftOut.increment());
    }

    /** Completes when all that was noted so far is written, or could not be. */
    public Future<Void> flush() {
        return group.flush();
    }

    /** @param running whether those are listed too that have not ended */
    Future<ArrayNode> list(UUID workspace, boolean running, int limit) {
        return flush().compose(written -> store.list().of(workspace, running, limit));
    }

    private Future<?> write(List<TaskNote> notes) {
        Map<UUID, TaskNote.Begun> begins = new LinkedHashMap<>();
        Map<UUID, TaskNote.Over> ends = new LinkedHashMap<>();
        for (var note : notes) { // of several the last one counts
            switch (note) {
                case TaskNote.Begun begun -> begins.put(begun.id(), begun);
                case TaskNote.Over over -> ends.put(over.id(), over);
            }
        }
        return store.write(owner, List.copyOf(begins.values()), List.copyOf(ends.values()))
                .onSuccess(done -> notes.forEach(this::tell));
    }

    private void tell(TaskNote note) {
        switch (note) {
            case TaskNote.Begun begun ->
                tell(
                        "TASK_STARTED",
                        begun.id(),
                        begun.target(),
                        begun.caller(),
                        begun.at(),
                        begun.preview(),
                        "running");
            case TaskNote.Over over when over.status().equals("waiting") -> {} // that is no end
            case TaskNote.Over over ->
                tell("TASK_ENDED", over.id(), over.target(), over.caller(), over.at(), preview(over), over.status());
        }
    }

    private static String preview(TaskNote.Over over) {
        return new TaskNote.Begun(over.id(), over.target(), null, null, null, null, null, over.words(), over.at())
                .preview();
    }

    private void tell(
            String type, UUID id, UUID target, @Nullable UUID caller, Instant at, String preview, String status) {
        var payload = Json.object()
                .put("task", id.toString())
                .put("caller_id", caller == null ? null : caller.toString())
                .put("target_id", target.toString())
                .put("preview", preview)
                .put("status", status);
        new LiveEvent(type, target, at, payload).publishOn(service.bus());
    }
}
