package ai.molecule.proxy.delegations;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Delegations as {@code GET /workspaces/:id/delegations} lists them: request and outcome are an entry each, newest first. */
final class DelegationList {

    static final int ENTRIES_MAX = 50;
    static final int PREVIEW_MAX = 300;

    private record Entry(Instant at, ObjectNode json) {}

    private DelegationList() {}

    static ArrayNode of(List<DelegationView> delegations) {
        List<Entry> entries = new ArrayList<>();
        for (var one : delegations) {
            entries.add(request(one));
            if (one.resultStatus() != null) {
                entries.add(result(one));
            }
        }
        entries.sort(Comparator.comparing(Entry::at).reversed());
        var list = Json.MAPPER.createArrayNode();
        entries.stream().limit(ENTRIES_MAX).forEach(entry -> list.add(entry.json));
        return list;
    }

    /**
     * One by itself.
     *
     * @param taskId what it became at its target, null while that is not known
     * @param asks whether that task waits for words
     */
    static ObjectNode whole(DelegationView one, Instant changedAt, @Nullable String taskId, boolean asks) {
        var json = Json.object()
                .put("delegation_id", one.delegationId())
                .put("source_id", one.source().toString())
                .put("target_id", one.target() == null ? "" : one.target().toString())
                .put("status", one.status())
                .put("created_at", Json.time(one.createdAt()))
                .put("changed_at", Json.time(changedAt));
        if (taskId != null) {
            json.put("task_id", taskId).put("asks", asks);
        }
        if (one.status().equals("completed") && one.text() != null) {
            json.put("text", one.text());
        }
        putFailure(json, one);
        return json;
    }

    private static Entry request(DelegationView one) {
        var json = entry(one, one.id().toString(), one.requestSummary(), one.status(), one.createdAt());
        putFailure(json, one);
        return new Entry(one.createdAt(), json);
    }

    private static Entry result(DelegationView one) {
        String status = String.valueOf(one.resultStatus());
        var json = entry(one, one.resultId().toString(), one.resultSummary(), status, one.resultAt());
        putFailure(json, one);
        String preview = status.equals("queued") ? Json.text(DelegationRows.resultBody(one)) : one.text();
        if (preview != null && !preview.isEmpty()) {
            json.put("response_preview", Preview.of(preview, PREVIEW_MAX));
        }
        return new Entry(one.resultAt(), json);
    }

    private static ObjectNode entry(DelegationView one, String id, String summary, String status, Instant at) {
        return Json.object()
                .put("id", id)
                .put("type", "delegation")
                .put("source_id", one.source().toString())
                .put("target_id", one.target() == null ? "" : one.target().toString())
                .put("summary", summary)
                .put("status", status)
                .put("created_at", Json.time(at))
                .put("delegation_id", one.delegationId());
    }

    private static void putFailure(ObjectNode json, DelegationView one) {
        @Nullable String error = one.error();
        if (error != null && !error.isEmpty()) {
            json.put("error", error);
        }
        if (one.unknown()) {
            json.put("outcome", "unknown");
        }
    }
}
