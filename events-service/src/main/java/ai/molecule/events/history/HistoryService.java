package ai.molecule.events.history;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.TasksAt;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.AsyncLoop;
import ai.molecule.events.history.PgSnapshotStore.Snapshot;
import ai.molecule.events.log.LogService;
import ai.molecule.events.log.LogStore;
import ai.molecule.events.log.LoggedEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rebuilds the org chart of a moment, and keeps the log and its snapshots within the retention. */
public record HistoryService(
        PgSnapshotStore snapshots, LogStore log, LogService settling, Clock clock, Duration retention, Bus bus) {

    private static final Logger LOGGER = LoggerFactory.getLogger(HistoryService.class);

    private static final Duration SNAPSHOT_EVERY = Duration.ofDays(1);
    private static final int POSITIONS_AT_ONCE = 5_000;

    /** No transaction of the platform stays open for nearly as long, after which its events would have their positions. */
    private static final Duration LATE_MAX = Duration.ofMinutes(10);

    /** The most events that one run deletes; the next runs delete the rest. */
    private static final int PRUNED_MAX = 500_000;

    private static final int PRUNED_AT_ONCE_MAX = 5_000;

    /** As long as the proxy keeps tasks that belong to no piece of work. */
    private static final Duration TASKS_KEPT = Duration.ofDays(7);

    /** A chart, and the position of the last event in it. */
    private record Reached(PastOrg org, long seq) {}

    /**
     * {@code {"at", "workspaces": […], "circles": […]}}. INVALID for a moment to come, GONE for one before the retention.
     *
     * @param at null for now
     * @param shown the places of that chart that whoever asks may see
     */
    Future<ObjectNode> at(@Nullable Instant at, Predicate<PastOrg.Place> shown) {
        var now = clock.instant();
        var moment = at == null ? now : at;
        if (moment.isAfter(now)) {
            throw ApiError.invalid("at must not be in the future");
        }
        if (moment.isBefore(now.minus(retention))) {
            throw gone();
        }
        return settling.settled()
                .compose(settled -> snapshots.newest(moment))
                .compose(found -> found.isPresent()
                        ? replay(
                                PastOrg.ofChart(found.get().chart()),
                                found.get().seq(),
                                moment)
                        : fromTheBeginning(moment))
                .compose(reached -> {
                    var seen = reached.org.only(shown);
                    return tasksAt(moment, now).map(tasks -> toJson(moment, seen, tasks));
                });
    }

    private Future<Reached> fromTheBeginning(Instant moment) {
        return log.prunedTo().compose(pruned -> {
            if (pruned > 0) {
                throw gone();
            }
            return replay(new PastOrg(), 0, moment);
        });
    }

    private static ApiError gone() {
        return new ApiError(ApiError.Kind.GONE, "at is before what is kept");
    }

    private Future<Reached> replay(PastOrg org, long from, Instant until) {
        return endFor(until).compose(end -> {
            var reached = new AtomicLong(from);
            return AsyncLoop.whileTrue(() -> {
                        long upTo = Math.min(end, reached.get() + POSITIONS_AT_ONCE);
                        return upTo <= reached.get()
                                ? Future.succeededFuture(false)
                                : log.ofWorkspaces(reached.getAndSet(upTo), upTo)
                                        .map(events -> apply(org, events, until));
                    })
                    .map(over -> new Reached(org, Math.max(from, end)));
        });
    }

    /** Whether what follows may still count. */
    private static boolean apply(PastOrg org, List<LoggedEvent> events, Instant until) {
        boolean over = !events.isEmpty();
        for (var logged : events) {
            var event = logged.event();
            // a late commit has a late position and an early time: position decides the order, time what counts
            if (!event.timestamp().isAfter(until)) {
                org.apply(event);
            }
            over &= event.timestamp().isAfter(withLateOnes(until));
        }
        return !over;
    }

    /** The position up to which there may be events of that time: that of the first snapshot some time later, else the last. */
    private Future<Long> endFor(Instant until) {
        return until.equals(Instant.MAX)
                ? log.last()
                : snapshots
                        .following(withLateOnes(until))
                        .compose(end -> end.map(Future::succeededFuture).orElseGet(log::last));
    }

    private static Instant withLateOnes(Instant until) {
        return until.equals(Instant.MAX) ? until : until.plus(LATE_MAX);
    }

    /** Empty where nobody knows: too long ago, or the proxy does not answer. */
    private Future<Optional<Map<String, TasksAt.One>>> tasksAt(Instant moment, Instant now) {
        return moment.isBefore(now.minus(TASKS_KEPT))
                ? Future.succeededFuture(Optional.empty())
                : bus.call(TasksAt.CONTRACT, new TasksAt(moment))
                        .map(answer -> Optional.of(answer.tasks().stream()
                                .collect(Collectors.toMap(
                                        task -> task.workspaceId().toString(),
                                        Function.identity(),
                                        (one, same) -> one))))
                        .otherwise(Optional.empty());
    }

    private static JsonNode toJson(TasksAt.@Nullable One task) {
        return task == null
                ? Json.MAPPER.nullNode()
                : Json.object()
                        .put("id", task.id().toString())
                        .put(
                                "work_id",
                                task.workId() == null ? null : task.workId().toString())
                        .put(
                                "caller_id",
                                task.callerId() == null ? null : task.callerId().toString())
                        .put("preview", task.preview())
                        .put("started_at", Json.time(task.startedAt()));
    }

    private static ObjectNode toJson(Instant moment, PastOrg org, Optional<Map<String, TasksAt.One>> tasks) {
        var body = Json.object().put("at", Json.time(moment));
        var workspaces = org.toWorkspaces();
        tasks.ifPresent(running -> workspaces.forEach(workspace -> ((ObjectNode) workspace)
                .set("task", toJson(running.get(workspace.path("id").asText())))));
        body.set("workspaces", workspaces);
        body.set("circles", org.toCircles());
        return body;
    }

    /** Takes a snapshot when the newest is a day old, then deletes the events that no kept snapshot needs. Idempotent; what fails is tried again by the next run. */
    public Future<Void> run() {
        return snapshots
                .newest(null)
                .compose(newest -> {
                    boolean due = newest.isEmpty()
                            || !newest.get().takenAt().plus(SNAPSHOT_EVERY).isAfter(clock.instant());
                    return due ? takeAfter(newest.orElse(null)) : Future.succeededFuture();
                })
                .compose(taken -> snapshots.forgetBefore(clock.instant().minus(retention)))
                .compose(base -> base.isPresent() ? prune(base.get(), 0) : Future.succeededFuture());
    }

    private Future<Void> takeAfter(@Nullable Snapshot newest) {
        var org = newest == null ? new PastOrg() : PastOrg.ofChart(newest.chart());
        return replay(org, newest == null ? 0 : newest.seq(), Instant.MAX)
                .compose(reached -> snapshots.keep(reached.seq, reached.org.toChart()));
    }

    private Future<Void> prune(long upTo, int before) {
        return log.prune(upTo, PRUNED_AT_ONCE_MAX).compose(deleted -> {
            int sum = before + deleted;
            if (deleted == PRUNED_AT_ONCE_MAX && sum < PRUNED_MAX) {
                return prune(upTo, sum);
            }
            if (sum > 0) {
                LOGGER.atInfo().addKeyValue("events", sum).log("events past the retention deleted");
            }
            return Future.succeededFuture();
        });
    }
}
