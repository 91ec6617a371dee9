package ai.molecule.events.history;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An org chart as a run of events tells it: id of every workspace that exists to {@code {name, role, parent_id, status, tier, runtime, x, y}}. Changed
 * by {@link #apply}; to be used by one reader at a time.
 */
final class PastOrg {

    /** The members of a payload that are kept, in this order. */
    private static final String[] KEPT = {"name", "role", "parent_id", "status", "tier", "runtime", "x", "y"};

    /** What an event says of the status, where its payload leaves it out. */
    private static final Map<String, String> STATUS_OF = Map.of(
            "WORKSPACE_PROVISIONING", "provisioning",
            "WORKSPACE_ONLINE", "online",
            "WORKSPACE_AWAITING_AGENT", "awaiting_agent",
            "WORKSPACE_OFFLINE", "offline",
            "WORKSPACE_DEGRADED", "degraded",
            "WORKSPACE_PAUSED", "paused",
            "WORKSPACE_HIBERNATED", "hibernated",
            "WORKSPACE_PROVISION_FAILED", "failed",
            "WORKSPACE_REMOVED", "removed");

    private final Map<String, ObjectNode> workspaces = new TreeMap<>();

    /** Of those which are there and nobody is told of. */
    private final Set<String> hidden = new HashSet<>();

    PastOrg() {}

    /** From a snapshot's {@link #toChart}. */
    static PastOrg ofChart(JsonNode chart) {
        var org = new PastOrg();
        chart.properties()
                .forEach(entry ->
                        org.workspaces.put(entry.getKey(), entry.getValue().<ObjectNode>deepCopy()));
        return org;
    }

    /** Applies an event. One that concerns no workspace, or an unknown one that it does not create, changes nothing. */
    void apply(Event event) {
        var id = event.workspaceId();
        if (id == null || !event.type().startsWith("WORKSPACE_")) {
            return;
        }
        var before = workspaces.get(id.toString());
        if (before == null && !event.payload().path("name").isTextual()) {
            return;
        }
        var after = before == null ? Json.object() : before.deepCopy();
        String status = STATUS_OF.get(event.type());
        if (status != null) {
            after.put("status", status);
        }
        for (String key : KEPT) {
            var said = event.payload().has(key)
                    ? event.payload().get(key)
                    : event.payload().path("changed").get(key);
            if (said != null) {
                after.set(key, said);
            }
        }
        if (after.path("status").asText().equals("removed")) {
            workspaces.remove(id.toString());
        } else {
            workspaces.put(id.toString(), after);
        }
    }

    /**
     * A workspace and its place.
     *
     * @param above its parent, that one's parent and so on
     */
    record Place(UUID id, List<UUID> above) {

        boolean isWithin(Set<UUID> branches) {
            return branches.contains(id) || above.stream().anyMatch(branches::contains);
        }
    }

    /** The same, of which only those are told. */
    PastOrg only(Predicate<Place> shown) {
        var part = new PastOrg();
        part.workspaces.putAll(workspaces);
        workspaces.forEach((id, workspace) -> {
            if (!shown.test(new Place(UUID.fromString(id), above(workspace)))) {
                part.hidden.add(id);
            }
        });
        return part;
    }

    private List<UUID> above(ObjectNode workspace) {
        var above = new LinkedHashSet<String>(); // a ring holds nobody
        String parent = parentOf(workspace);
        while (parent != null && above.add(parent)) {
            var next = workspaces.get(parent);
            parent = next == null ? null : parentOf(next);
        }
        return above.stream().map(UUID::fromString).toList();
    }

    ObjectNode toChart() {
        var chart = Json.object();
        workspaces.forEach(chart::set);
        return chart;
    }

    /** {@code [{"id", "name", "role", "parent_id", "status", "tier", "runtime", "x", "y"}, …]}, by id. */
    ArrayNode toWorkspaces() {
        var list = Json.MAPPER.createArrayNode();
        workspaces.forEach((id, workspace) -> {
            if (hidden.contains(id)) {
                return;
            }
            var node = list.addObject().put("id", id);
            for (String key : KEPT) {
                var value = workspace.get(key);
                node.set(key, value == null ? Json.MAPPER.nullNode() : value);
            }
        });
        return list;
    }

    /**
     * Who could talk to whom, in as many ids as there are places in the chart: two workspaces could talk exactly when a circle
     * holds both. Those are the roots, and every parent with its children (decision 1).
     */
    ArrayNode toCircles() {
        Map<String, ArrayList<String>> circles = new TreeMap<>();
        workspaces.forEach((id, workspace) -> {
            String parent = parentOf(workspace);
            if (parent == null || !workspaces.containsKey(parent)) {
                circles.computeIfAbsent("", roots -> new ArrayList<>()).add(id);
            } else {
                circles.computeIfAbsent(parent, PastOrg::startingWith).add(id);
            }
        });
        var told = circles.values();
        told.forEach(circle -> circle.removeAll(hidden));
        told.removeIf(ArrayList::isEmpty);
        return Json.MAPPER.valueToTree(told);
    }

    private static ArrayList<String> startingWith(String parent) {
        var circle = new ArrayList<String>();
        circle.add(parent);
        return circle;
    }

    private static @Nullable String parentOf(ObjectNode workspace) {
        return workspace.path("parent_id").isTextual()
                ? workspace.path("parent_id").textValue()
                : null;
    }
}
