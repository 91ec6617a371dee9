package ai.molecule.events.search;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.SearchMemories;
import ai.molecule.common.json.Json;
import ai.molecule.events.activity.Activity;
import ai.molecule.events.activity.PgActivityStore;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

/** Finds activity and memories and puts them in one order. */
public record SessionSearchService(PgActivityStore activity, Bus bus) {

    private record Hit(Instant createdAt, ObjectNode row) {}

    /** Newest first. Fails when the registry does not answer: half a result would look like a whole one. */
    Future<ArrayNode> find(SessionQuery query) {
        var done = activity.search(query.workspaceId(), query.text(), query.limit());
        var remembered =
                bus.call(SearchMemories.CONTRACT, new SearchMemories(query.workspaceId(), query.text(), query.limit()));
        return Future.all(done, remembered).map(both -> {
            var rows = Json.MAPPER.createArrayNode();
            Stream.concat(
                            done.result().stream().map(SessionSearchService::ofActivity),
                            remembered.result().hits().stream().map(hit -> ofMemory(query.workspaceId(), hit)))
                    .sorted(Comparator.comparing(Hit::createdAt).reversed())
                    .limit(query.limit())
                    .forEach(hit -> rows.add(hit.row));
            return rows;
        });
    }

    private static Hit ofActivity(Activity activity) {
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
        return new Hit(activity.createdAt(), row);
    }

    private static Hit ofMemory(UUID workspaceId, SearchMemories.Hit hit) {
        return new Hit(
                hit.createdAt(),
                row("memory", hit.id(), workspaceId, hit.scope(), hit.content(), "", "", hit.createdAt()));
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
