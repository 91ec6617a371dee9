package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of many events, in one: how each workspace is now that changed, and who spoke to whom. It tells of every workspace, so
 * that it is made and encoded once for all who look at different ones. To be used on one event loop.
 */
final class Digest {

    /** Of one digest, about; it is due when it has so many: some 1,500 workspaces, and in any script less than a reader may have unsent. */
    private static final int CHARACTERS_MAX = 128 * 1024;

    /** Of a row but for its texts. */
    private static final int ROW_CHARACTERS = 80;

    private static final int TASK_MAX = 120;
    private static final int ERROR_MAX = 200;

    /** The pairs that spoke last: more lines than a person can follow. */
    private static final int PAIRS_MAX = 30;

    /**
     * Events of which only what became of them is told outside of a view. All others (who came, left, moved or was changed, what a
     * person decides about, kinds that come later) are few, and told as they are.
     */
    private static final Set<String> TOLD = Set.of(
            "WORKSPACE_ONLINE",
            "WORKSPACE_OFFLINE",
            "WORKSPACE_DEGRADED",
            "WORKSPACE_PROVISION_FAILED",
            "WORKSPACE_HEARTBEAT",
            "AGENT_CARD_UPDATED",
            "AGENT_MESSAGE",
            "A2A_RESPONSE",
            "ACTIVITY_LOGGED",
            "TASK_UPDATED",
            "TASK_STARTED",
            "TASK_ENDED",
            "MODEL_WAITING",
            "DELEGATION_SENT",
            "DELEGATION_STATUS",
            "DELEGATION_COMPLETE",
            "DELEGATION_FAILED");

    /** Of these: work went on, which whoever shows it reads again. */
    private static final Set<String> TASKS =
            Set.of("TASK_STARTED", "TASK_ENDED", "DELEGATION_SENT", "DELEGATION_COMPLETE", "DELEGATION_FAILED");

    /** Who spoke to whom: the members of the payload that name them; an empty one is the workspace of the event itself. */
    private static final Map<String, Pair> SPOKE = Map.of(
            "TASK_STARTED", new Pair("caller_id", "target_id"),
            "TASK_ENDED", new Pair("target_id", "caller_id"),
            "DELEGATION_SENT", new Pair("", "target_id"),
            "DELEGATION_COMPLETE", new Pair("target_id", ""));

    private record Pair(String from, String to) {}

    private final Map<UUID, ObjectNode> rows = new LinkedHashMap<>();
    private final Map<Pair, Integer> pairs = new LinkedHashMap<>();
    private int characters;
    private long events;
    private long tasks;

    static boolean tells(Event event) {
        return TOLD.contains(event.type());
    }

    void add(Event event) {
        if (event.workspaceId() == null || !tells(event)) {
            return;
        }
        events++;
        if (TASKS.contains(event.type())) {
            tasks++;
        }
        addState(event.workspaceId(), event.payload());
        var spoke = SPOKE.get(event.type());
        if (spoke != null) {
            addPair(partyOf(event, spoke.from), partyOf(event, spoke.to));
        }
    }

    boolean isEmpty() {
        return events == 0;
    }

    boolean isFull() {
        return characters >= CHARACTERS_MAX;
    }

    /**
     * What was added since the last time; it begins anew.
     *
     * @param seq the position up to which all recorded events are told by then
     */
    Event take(long seq, Instant now) {
        var payload = Json.object().put("events", events).put("tasks", tasks).put("seq", seq);
        var workspaces = payload.putArray("workspaces");
        rows.values().forEach(workspaces::add);
        var spoke = payload.putArray("pairs");
        pairs.forEach(
                (pair, count) -> spoke.addArray().add(pair.from).add(pair.to).add(count));
        rows.clear();
        pairs.clear();
        characters = 0;
        events = 0;
        tasks = 0;
        return new Event(null, "VIEW_DIGEST", null, now, payload);
    }

    private void addState(UUID workspaceId, ObjectNode payload) {
        put(workspaceId, "status", payload.has("name") ? payload.path("status").asText(null) : null, TASK_MAX);
        put(workspaceId, "error", payload.path("error").asText(null), ERROR_MAX);
        put(workspaceId, "error", payload.path("sample_error").asText(null), ERROR_MAX);
        put(workspaceId, "current_task", payload.path("current_task").asText(null), TASK_MAX);
        if (payload.path("active_tasks").isInt()) {
            row(workspaceId).put("active_tasks", payload.path("active_tasks").asInt());
        }
    }

    private void put(UUID workspaceId, String member, @Nullable String text, int most) {
        if (text != null) {
            String clipped = text.substring(
                    0, text.offsetByCodePoints(0, Math.min(most, text.codePointCount(0, text.length()))));
            row(workspaceId).put(member, clipped);
            characters += clipped.length();
        }
    }

    private ObjectNode row(UUID workspaceId) {
        return rows.computeIfAbsent(workspaceId, id -> {
            characters += ROW_CHARACTERS;
            return Json.object().put("id", id.toString());
        });
    }

    private static String partyOf(Event event, String member) {
        return member.isEmpty()
                ? String.valueOf(event.workspaceId())
                : event.payload().path(member).asText("");
    }

    private void addPair(String from, String to) {
        if (from.isEmpty() || to.isEmpty() || from.equals(to)) {
            return;
        }
        var pair = new Pair(from, to);
        Integer before = pairs.remove(pair);
        pairs.put(pair, before == null ? 1 : before + 1); // the latest last
        if (pairs.size() > PAIRS_MAX) {
            pairs.remove(pairs.keySet().iterator().next());
        }
    }
}
