package ai.molecule.events.search;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.SearchMemories;
import ai.molecule.common.json.Json;
import ai.molecule.events.activity.ActivityPlace;
import ai.molecule.events.activity.PgActivitySearch;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds activity and memories and puts them in one order. */
public record SessionSearchService(PgActivitySearch activity, Bus bus) {

    /** After which no further rows are looked at; a statement that is under way then has 2 s at most. */
    private static final Duration TIME_MAX = Duration.ofMillis(1_500);

    /** @param place of activity */
    private record Hit(
            Instant createdAt, ObjectNode row, @Nullable ActivityPlace place) {}

    /** @param more behind which to go on; null when everything was looked at */
    record Found(ArrayNode rows, @Nullable ActivityPlace more) {}

    /**
     * Newest first; what follows an earlier search is activity alone, as that had the memories, as far as its limit left room for them. Fails when the registry does not answer:
     * memories that are left out nobody would miss.
     */
    Future<Found> find(SessionQuery query) {
        var done = activity.search(query.workspaceId(), query.text(), query.limit(), query.before(), TIME_MAX);
        var remembered = query.before() != null
                ? Future.succeededFuture(new SearchMemories.Found(List.of()))
                : bus.call(
                        SearchMemories.CONTRACT, new SearchMemories(query.workspaceId(), query.text(), query.limit()));
        return Future.all(done, remembered).map(both -> {
            var hits = Stream.concat(
                            done.result().hits().stream().map(SessionSearchService::ofActivity),
                            remembered.result().hits().stream().map(hit -> ofMemory(query.workspaceId(), hit)))
                    .sorted(Comparator.comparing(Hit::createdAt).reversed())
                    .toList();
            var rows = Json.MAPPER.createArrayNode();
            hits.stream().limit(query.limit()).forEach(hit -> rows.add(hit.row));
            return new Found(rows, more(hits.stream().skip(query.limit()), done.result()));
        });
    }

    /** Just before the first activity that the limit left out; else where the search ended. */
    private static @Nullable ActivityPlace more(Stream<Hit> leftOut, PgActivitySearch.Found found) {
        return leftOut.flatMap(hit -> Stream.ofNullable(hit.place))
                .findFirst()
                .map(first -> new ActivityPlace(first.createdAt(), first.seq() + 1))
                .orElse(found.more());
    }

    private static Hit ofActivity(PgActivitySearch.Hit hit) {
        var activity = hit.activity();
        var row = row(
                "activity",
                activity.id(),
                activity.workspaceId(),
                activity.type(),
                Objects.requireNonNullElse(activity.summary(), ""),
                Objects.requireNonNullElse(activity.method(), ""),
                activity.status(),
                activity.createdAt());
        if (activity.requestBody() != null) {
            row.set("request_body", activity.requestBody());
        }
        if (activity.responseBody() != null) {
            row.set("response_body", activity.responseBody());
        }
        return new Hit(activity.createdAt(), row, hit.place());
    }

    private static Hit ofMemory(UUID workspaceId, SearchMemories.Hit hit) {
        return new Hit(
                hit.createdAt(),
                row("memory", hit.id(), workspaceId, hit.scope(), hit.content(), "", "", hit.createdAt()),
                null);
    }

    private static ObjectNode row(
            String kind,
            UUID id,
            UUID workspaceId,
            String label,
            String content,
            String method,
            String status,
            Instant createdAt) {
        return Json.object()
                .put("kind", kind)
                .put("id", id.toString())
                .put("workspace_id", workspaceId.toString())
                .put("label", label)
                .put("content", content)
                .put("method", method)
                .put("status", status)
                .put("created_at", Json.time(createdAt));
    }
}
