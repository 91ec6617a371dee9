package ai.molecule.canvas;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** {@code GET /inbox} as docs/wire/events.md has it, told to a {@link StagedPlatform}: rows come and go, and each change is hinted at. */
final class StagedInbox {

    private static final Set<String> DISMISSIBLE = Set.of("outcome_unknown", "price", "unusual_cost");
    private static final Set<String> FIX = Set.of("failed", "degraded", "awaiting_agent");

    private final StagedPlatform platform;
    private final Map<String, JsonObject> rows = new LinkedHashMap<>();
    private final List<Resolved> resolved = new ArrayList<>();
    private long position;

    /** Changes are made, and nobody is told. */
    volatile boolean mute;

    /** The next position that is asked from is too old. */
    volatile boolean forgetful;

    private record Resolved(long position, String id) {}

    StagedInbox(StagedPlatform platform) {
        this.platform = platform;
    }

    /** @return its id, which is the same for the same thing */
    synchronized String open(String kind, String workspaceId, String key, String text, JsonObject details) {
        String thing = kind + ":" + workspaceId + ":" + key;
        String id =
                UUID.nameUUIDFromBytes(thing.getBytes(StandardCharsets.UTF_8)).toString();
        rows.remove(id);
        rows.put(
                id,
                new JsonObject()
                        .put("id", id)
                        .put("kind", kind)
                        .put("part", FIX.contains(kind) ? "fix" : "decide")
                        .put("workspace_id", workspaceId)
                        .put("workspace_name", platform.nameOf(workspaceId))
                        .put("text", text)
                        .put("since", Instant.now().minusSeconds(370).toString())
                        .putNull("expires_at")
                        .put("position", ++position)
                        .put("dismissible", DISMISSIBLE.contains(kind))
                        .put("details", details));
        hint();
        return id;
    }

    /** What waits behind a row, with a change that tells of it. */
    synchronized void behind(String id, int tasks, int works) {
        var row = Objects.requireNonNull(rows.remove(id), id);
        rows.put(
                id,
                row.put("behind", JsonObject.of("tasks", tasks, "works", works)).put("position", ++position));
        hint();
    }

    synchronized void resolve(String id) {
        if (rows.remove(id) != null) {
            resolved.add(new Resolved(++position, id));
            hint();
        }
    }

    /** The row of an approval, or those of a workspace's status. */
    synchronized void resolveWhere(String member, String value) {
        rows.values().stream()
                .filter(row -> value.equals(row.getString(member))
                        || value.equals(row.getJsonObject("details").getString(member)))
                .map(row -> row.getString("id"))
                .toList()
                .forEach(this::resolve);
    }

    /** What is wrong with an agent waits for as long as it has that status. */
    synchronized void becomes(String workspaceId, String status, JsonObject payload) {
        rows.values().stream()
                .filter(row -> row.getString("workspace_id").equals(workspaceId)
                        && (FIX.contains(row.getString("kind")) || status.equals("removed")))
                .map(row -> row.getString("id"))
                .toList()
                .forEach(this::resolve);
        if (FIX.contains(status)) {
            String said = payload.getString("error", payload.getString("sample_error", ""));
            open(status, workspaceId, "", said, payload);
        }
    }

    private void hint() {
        if (!mute) {
            platform.ephemeral("INBOX_CHANGED", "", JsonObject.of("position", position, "waiting", waiting()));
        }
    }

    private JsonObject waiting() {
        long fix = rows.values().stream()
                .filter(row -> row.getString("part").equals("fix"))
                .count();
        return JsonObject.of("decide", rows.size() - fix, "fix", fix);
    }

    synchronized JsonObject read(HttpServerRequest request) {
        String since = request.getParam("since");
        int limit = Integer.parseInt(request.getParam("limit", "50"));
        long after = Long.parseLong(since == null ? request.getParam("after", "0") : since);
        var page = rows.values().stream()
                .filter(row -> row.getLong("position") > after && platform.door.shows(row.getString("workspace_id")))
                .limit(limit)
                .toList();
        boolean full = page.size() == limit;
        long last = full ? page.getLast().getLong("position") : position;
        var answer = new JsonObject()
                .put("rows", new JsonArray(new ArrayList<>(page)))
                .put("resolved", new JsonArray())
                .put("position", since == null ? position : last)
                .put("waiting", waiting());
        if (since == null) {
            return answer.put("next", full ? last : null);
        }
        resolved.stream()
                .filter(one -> one.position() > after && one.position() <= last)
                .forEach(one -> answer.getJsonArray("resolved").add(one.id()));
        return answer.put("more", full);
    }
}
