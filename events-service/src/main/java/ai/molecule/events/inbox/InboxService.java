package ai.molecule.events.inbox;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.WaitsBehind;
import ai.molecule.common.directory.OrgChart;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.events.log.LogService;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keeps the inbox up with the event log, and reads it. */
public record InboxService(PgInboxStore store, LogService log, OrgChartCache charts, Bus bus, Clock clock) {

    /** Told after each change of the inbox, to canvases only: it is of no workspace. */
    private static final String CHANGED = "INBOX_CHANGED";

    /** How long it is told of what is resolved. */
    private static final Duration TOLD = Duration.ofDays(1);

    /** Steps that a reader waits for: 10,000 events. What is further behind is shown as it is then, and follows. */
    private static final int STEPS_MAX = 20;

    /** One run of the projection: applies what was recorded meanwhile, and tells that the inbox changed. Idempotent. */
    public Future<String> run() {
        return catchUp().map(steps -> steps == 0 ? "nothing to apply" : "applied %d steps".formatted(steps));
    }

    /** Forgets what was resolved long ago, so many rows at most; completes with how many. */
    public Future<Integer> forget(int max) {
        return store.forget(TOLD, max);
    }

    /** {@code {"rows", "next", "position", "waiting"}}: what waits, as of now; of these workspaces alone, where any are named. */
    Future<ObjectNode> waiting(long after, int limit, @Nullable Set<UUID> within) {
        return fresh().compose(current -> store.reached()
                .compose(reached -> store.waiting(after, limit + 1, within).compose(rows -> {
                    boolean more = rows.size() > limit;
                    var page = more ? rows.subList(0, limit) : rows;
                    return answer(page, reached.position(), within)
                            .map(body -> body.put("next", more ? page.getLast().position() : null));
                })));
    }

    /** {@code {"rows", "resolved", "more", "position", "waiting"}}: what changed since. INVALID past the end, GONE for one that is too old. */
    Future<ObjectNode> changed(long since, int limit, @Nullable Set<UUID> within) {
        return fresh().compose(current -> store.reached()).compose(reached -> {
            if (since > reached.position()) {
                throw ApiError.invalid("since is past the end of the inbox");
            }
            if (since < reached.forgotten()) {
                throw new ApiError(ApiError.Kind.GONE, "since is before what is kept: read the whole inbox again");
            }
            return store.changed(since, limit + 1, within).compose(rows -> {
                boolean more = rows.size() > limit;
                var page = more ? rows.subList(0, limit) : rows;
                long end = page.isEmpty() ? since : page.getLast().position();
                return answer(page, more ? end : Math.max(end, reached.position()), within)
                        .map(body -> body.put("more", more));
            });
        });
    }

    /** Takes a row away that nothing else would end. NOT_FOUND when it does not wait, CONFLICT where what it tells of ends by itself. */
    Future<Void> dismiss(UUID id, String by) {
        return fresh().compose(current -> store.find(id)).compose(found -> {
            var row = found.filter(one -> !one.resolved()).orElseThrow(() -> ApiError.notFound("not in the inbox"));
            if (!InboxSource.find(row.kind()).map(InboxSource::dismissible).orElse(true)) {
                throw ApiError.conflict("it leaves the inbox when what it waits for has happened");
            }
            return store.dismiss(row, by).compose(told -> fresh()).mapEmpty();
        });
    }

    /** Fails with NOT_FOUND when there is no such row. */
    Future<UUID> workspaceOf(UUID id) {
        return fresh().compose(current -> store.find(id))
                .map(found -> found.orElseThrow(() -> ApiError.notFound("not in the inbox"))
                        .workspaceId());
    }

    /** Everything committed before the call is applied, but for what {@link LogService#settled} and the steps leave behind. */
    private Future<?> fresh() {
        return log.settled().compose(settled -> catchUp());
    }

    private Future<Integer> catchUp() {
        return store.isBehind().compose(behind -> behind ? steps(1) : Future.succeededFuture(0));
    }

    private Future<Integer> steps(int nth) {
        return store.step().compose(step -> {
            Future<?> told = step.changed() ? tell() : Future.succeededFuture();
            return told.compose(done -> step.more() && nth < STEPS_MAX ? steps(nth + 1) : Future.succeededFuture(nth));
        });
    }

    /** A hint: who misses it reads with its {@code since} when it comes back. */
    private Future<Void> tell() {
        return Future.all(store.reached(), store.count(null)).map(read -> {
            var payload = Json.object()
                    .put("position", read.<PgInboxStore.Reached>resultAt(0).position());
            payload.set("waiting", parts(read.resultAt(1)));
            new LiveEvent(CHANGED, null, clock.instant(), payload).publishOn(bus);
            return null;
        });
    }

    private Future<ObjectNode> answer(List<InboxRow> page, long position, @Nullable Set<UUID> within) {
        return Future.all(store.count(within), names(), behind(page)).map(read -> {
            Optional<OrgChart> chart = read.resultAt(1);
            Optional<Map<UUID, WaitsBehind.Count>> behind = read.resultAt(2);
            var body = Json.object();
            var rows = body.putArray("rows");
            page.stream()
                    .filter(row -> !row.resolved())
                    .forEach(row -> rows.add(row.toJson(
                            nameOf(chart, row),
                            behind.map(counts -> counts.getOrDefault(row.id(), new WaitsBehind.Count(row.id(), 0, 0)))
                                    .orElse(null))));
            body.set("resolved", resolved(page));
            body.put("position", position);
            body.set("waiting", parts(read.resultAt(0)));
            return body;
        });
    }

    /** By row, those behind which anything waits; empty where the proxy does not say. */
    private Future<Optional<Map<UUID, WaitsBehind.Count>>> behind(List<InboxRow> page) {
        var held = page.stream()
                .filter(row -> !row.resolved())
                .flatMap(row -> row.held().stream())
                .toList();
        return held.isEmpty()
                ? Future.succeededFuture(Optional.of(Map.of()))
                : bus.call(WaitsBehind.CONTRACT, new WaitsBehind(held))
                        .map(answer -> Optional.of(answer.counts().stream()
                                .collect(Collectors.toMap(
                                        WaitsBehind.Count::id, Function.identity(), (one, same) -> one))))
                        .otherwise(Optional.empty());
    }

    /** Rows are shown without names while the registry is away. */
    private Future<Optional<OrgChart>> names() {
        return charts.current().map(Optional::of).otherwise(Optional.empty());
    }

    private static @Nullable String nameOf(Optional<OrgChart> chart, InboxRow row) {
        return chart.flatMap(known -> known.find(row.workspaceId()))
                .map(entry -> entry.name())
                .orElse(null);
    }

    private static ArrayNode resolved(List<InboxRow> page) {
        var ids = Json.MAPPER.createArrayNode();
        page.stream().filter(InboxRow::resolved).forEach(row -> ids.add(row.id().toString()));
        return ids;
    }

    private static ObjectNode parts(Map<String, Integer> byKind) {
        var parts = Json.object();
        for (var part : InboxSource.Part.values()) {
            parts.put(
                    part.wire(),
                    InboxSource.ALL.stream()
                            .filter(source -> source.part() == part)
                            .mapToInt(source -> byKind.getOrDefault(source.kind(), 0))
                            .sum());
        }
        return parts;
    }
}
