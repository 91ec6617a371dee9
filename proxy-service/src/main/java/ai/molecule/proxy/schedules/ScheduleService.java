package ai.molecule.proxy.schedules;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.SetSchedules;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.json.Json;
import ai.molecule.common.schedules.ScheduleSpec;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.messages.Dispatch;
import ai.molecule.proxy.protocol.AnswerText;
import ai.molecule.proxy.queue.QueueOutcome;
import ai.molecule.proxy.queue.QueueOutcomeListener;
import ai.molecule.proxy.queue.QueueRun;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules about schedules. */
public final class ScheduleService implements QueueOutcomeListener {

    /** Of all workspaces together, those whose tick comes first. */
    private static final int ALL_MAX = 1_000;

    private static final int UNTOLD_MAX = 200;
    private static final Duration KEPT = Duration.ofDays(30);

    /** Workspaces that changed since it was looked at last; with more of them at once the rest is seen at the next tick. */
    private static final int CHANGED_MAX = 10_000;

    private final PgSchedules schedules;
    private final Bus bus;
    private final Dispatch dispatch;
    private final Set<UUID> changed = new HashSet<>();
    private Runnable moved = () -> {};
    private Runnable queued = () -> {};

    public ScheduleService(PgSchedules schedules, Bus bus, Dispatch dispatch) {
        this.schedules = schedules;
        this.bus = bus;
        this.dispatch = dispatch;
    }

    /**
     * @param toFire is poked when a tick may be due
     * @param toSend is poked when a message may be
     */
    public void tell(Runnable toFire, Runnable toSend) {
        moved = toFire;
        queued = toSend;
    }

    /** Fails with NOT_FOUND for an unknown workspace and CONFLICT for a removed one. */
    /** @param madeBy the credential, as the record shows it */
    Future<Schedule> create(UUID workspace, ScheduleSpec wanted, String madeBy) {
        var id = UUID.randomUUID();
        var spec = wanted.name().isEmpty()
                ? wanted.with(
                        Json.object().put("name", "schedule " + id.toString().substring(24)))
                : wanted;
        return open(workspace)
                .compose(route -> schedules.create(workspace, id, spec, PgSchedules.RUNTIME, madeBy))
                .onSuccess(made -> moved.run());
    }

    Future<Schedule> change(UUID workspace, UUID id, ObjectNode members) {
        return schedules
                .get(workspace, id)
                .compose(known -> open(workspace))
                .compose(route -> schedules.change(workspace, id, spec -> spec.with(members)))
                .onSuccess(done -> moved.run());
    }

    Future<Void> delete(UUID workspace, UUID id) {
        return schedules
                .delete(workspace, id)
                .compose(there -> there
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.notFound("schedule not found")));
    }

    Future<List<Schedule>> list(UUID workspace) {
        return schedules.list(workspace);
    }

    /** What it says, for a client that sends it itself. */
    Future<Schedule> get(UUID workspace, UUID id) {
        return schedules.get(workspace, id);
    }

    /** A run by hand. Fails with CONFLICT and the reason while its workspace takes none. */
    Future<Schedule> run(UUID workspace, UUID id) {
        return schedules
                .get(workspace, id)
                .compose(schedule -> open(workspace).compose(route -> {
                    String why = ScheduleRun.whyNot(route);
                    if (why != null) {
                        throw ApiError.conflict(why);
                    }
                    return schedules.runNow(workspace, id).map(replaced -> {
                        replaced.forEach(message -> dispatch.cancel(message.workspaceId(), message.messageId()));
                        queued.run();
                        return schedule;
                    });
                }));
    }

    Future<ArrayNode> history(UUID workspace, UUID id, @Nullable Instant before, int max) {
        return schedules
                .get(workspace, id)
                .compose(schedule -> schedules.runs().history(id, before, max).map(runs -> {
                    var list = Json.MAPPER.createArrayNode();
                    runs.forEach(run -> list.add(past(schedule, run)));
                    return list;
                }));
    }

    private static ObjectNode past(Schedule schedule, PgScheduleRuns.Past run) {
        var ended = run.endedAt();
        var json = Json.object()
                .put("timestamp", Json.time(run.startedAt()))
                .put(
                        "duration_ms",
                        ended == null
                                ? null
                                : Duration.between(run.startedAt(), ended).toMillis())
                .put("status", run.status())
                .put("error_detail", run.reason());
        json.set("request", schedule.request());
        return json.put("run_id", run.id().toString())
                .put("tick_at", Json.time(run.tick()))
                .put("message_id", run.messageId());
    }

    /**
     * Of all, with the names of their workspaces.
     *
     * @param within only of these; null for all
     */
    Future<ArrayNode> health(@Nullable Set<UUID> within) {
        return bus.call(Directory.CONTRACT, new Directory()).compose(directory -> {
            Map<UUID, String> names = new HashMap<>();
            directory.workspaces().forEach(entry -> names.put(entry.id(), entry.name()));
            return schedules.all(ALL_MAX).map(all -> {
                var list = Json.MAPPER.createArrayNode();
                all.stream()
                        .filter(seen -> within == null
                                || within.contains(seen.schedule().workspaceId()))
                        .forEach(seen -> list.add(Punctuality.of(seen.schedule(), seen.now())
                                .toJson(
                                        seen.schedule(),
                                        names.getOrDefault(seen.schedule().workspaceId(), ""))));
                return list;
            });
        });
    }

    /** Serves {@link SetSchedules}. */
    public Future<SetSchedules.Done> put(SetSchedules wanted) {
        List<ScheduleSpec> specs = new ArrayList<>();
        wanted.schedules().forEach(said -> specs.add(ScheduleSpec.of(Json.stored(said))));
        return open(wanted.workspaceId())
                .compose(route -> schedules.put(wanted.workspaceId(), specs))
                .onSuccess(done -> moved.run())
                .map(done -> new SetSchedules.Done(specs.size()));
    }

    private Future<Route> open(UUID workspace) {
        return bus.call(ResolveRoute.CONTRACT, new ResolveRoute(workspace, null))
                .map(route -> {
                    if (!route.found()) {
                        throw ApiError.notFound("workspace not found");
                    }
                    if (route.status() == WorkspaceStatus.REMOVED) {
                        throw ApiError.conflict("workspace was removed");
                    }
                    return route;
                });
    }

    /** Of every message that waited; only those of runs are known here. */
    @Override
    public Future<Void> ended(DeferredMessage deferred, QueueOutcome ending) {
        var queueId = deferred.rowId();
        if (queueId == null || deferred.caller() != null) {
            return Future.succeededFuture();
        }
        return switch (ending) {
            case QueueOutcome.Answered answered -> {
                var said = AnswerText.of(answered.body());
                yield end(queueId, said.failed() ? said.text() : null);
            }
            case QueueOutcome.Refused refused -> end(queueId, refused.error());
            case QueueOutcome.Failed failed
            when failed.error().equals(QueueRun.NEVER_SEEN) -> Future.succeededFuture(); // see settle
            case QueueOutcome.Failed failed -> end(queueId, failed.error());
        };
    }

    private Future<Void> end(UUID queueId, @Nullable String error) {
        return schedules.runs().end(queueId, error == null ? "ok" : "error", error);
    }

    /**
     * Ends runs whose message has left the queue without a word. One that its agent never saw, because the proxy died that sent it, is
     * sent once more: with the same id, so that it cannot run twice even if the agent is wrong about that.
     */
    public Future<?> settle(Duration untoldAfter) {
        return schedules
                .runs()
                .untold(untoldAfter, UNTOLD_MAX)
                .compose(untold -> Future.join(untold.stream().map(this::settle).toList()));
    }

    private Future<Void> settle(PgScheduleRuns.Untold one) {
        String error = one.status().equals("completed") ? null : String.valueOf(one.error());
        if (!QueueRun.NEVER_SEEN.equals(error)) {
            return end(one.queueId(), error);
        }
        return schedules.runs().sendAgain(one.queueId()).compose(again -> {
            queued.run();
            return again ? Future.succeededFuture() : end(one.queueId(), error);
        });
    }

    /** A workspace that may have been removed. */
    public void changed(UUID workspace) {
        if (changed.size() < CHANGED_MAX) {
            changed.add(workspace);
        }
    }

    /** Switches off what belongs to removed workspaces: of those that changed since the last time. */
    public Future<?> closeRemoved() {
        if (changed.isEmpty()) {
            return Future.succeededFuture();
        }
        var seen = List.copyOf(changed);
        changed.clear();
        return schedules
                .enabledOf(seen)
                .compose(enabled ->
                        Future.join(enabled.stream().map(this::closeIfRemoved).toList()));
    }

    private Future<?> closeIfRemoved(UUID workspace) {
        return bus.call(ResolveRoute.CONTRACT, new ResolveRoute(workspace, null))
                .compose(route -> {
                    if (!route.found()) {
                        return schedules.forget(List.of(workspace));
                    }
                    return route.status() == WorkspaceStatus.REMOVED
                            ? schedules.disable(workspace)
                            : Future.succeededFuture();
                });
    }

    public Future<Void> purged(Collection<UUID> workspaces) {
        return schedules.forget(workspaces);
    }

    public Future<Integer> prune(int max) {
        return schedules.runs().prune(KEPT, max);
    }
}
