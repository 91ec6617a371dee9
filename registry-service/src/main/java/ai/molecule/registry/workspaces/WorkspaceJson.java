package ai.molecule.registry.workspaces;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Workspaces as clients read them (docs/wire/registry.md). */
final class WorkspaceJson {

    /** Of a list; the cards of whoever comes later are left out. */
    private static final long CARDS_MAX_CHARS = 4L * 1024 * 1024;

    private WorkspaceJson() {}

    /**
     * For the list: everything.
     *
     * @param outdated those whose agents run with an older value of a secret
     */
    static ArrayNode list(List<Workspace> workspaces, Map<String, Long> startMillis, Set<UUID> outdated) {
        var array = Json.MAPPER.createArrayNode();
        long cards = 0;
        for (var workspace : workspaces) {
            var body = confidential(workspace, common(workspace, startMillis));
            if (outdated.contains(workspace.id())) {
                body.put("secrets_outdated", true);
            }
            cards += workspace.agentCard() == null ? 0 : workspace.agentCard().length();
            array.add(cards > CARDS_MAX_CHARS ? body.putNull("agent_card") : body);
        }
        return array;
    }

    /**
     * @param trusted whether the reader may see what the agent works on and spends (decision 8)
     * @param startMillis how long agents may take to start, by runtime; told where it is known
     */
    static ObjectNode single(Workspace workspace, boolean trusted, Map<String, Long> startMillis) {
        var body = common(workspace, startMillis).put("last_outbound_at", Json.timeOrNull(workspace.lastOutboundAt()));
        return trusted ? confidential(workspace, body) : body;
    }

    private static ObjectNode common(Workspace workspace, Map<String, Long> startMillis) {
        var health = workspace.health();
        var place = workspace.place();
        var body = Json.object()
                .put("id", workspace.id().toString())
                .put("name", workspace.name())
                .put("role", workspace.role())
                .put("tier", workspace.tier())
                .put("status", workspace.status().wire());
        body.set("agent_card", Json.stored(workspace.agentCard()));
        body.put("url", workspace.url())
                .put(
                        "parent_id",
                        workspace.parentId() == null
                                ? null
                                : workspace.parentId().toString())
                .put("active_tasks", health.activeTasks())
                .put("max_concurrent_tasks", workspace.maxConcurrentTasks());
        body.set("last_error_rate", Json.number(health.errorRate()));
        body.put("uptime_seconds", health.uptimeSeconds()).put("runtime", workspace.runtime());
        body.set("x", Json.number(place.x()));
        body.set("y", Json.number(place.y()));
        body.put("collapsed", place.collapsed());
        if (!workspace.admitted()) {
            body.put("admitted", false);
        }
        if (workspace.quarantined()) {
            body.put("quarantined", true);
        }
        if (workspace.publicCard()) {
            body.put("public_card", true);
        }
        if (workspace.tenant() != null) {
            body.put("tenant", workspace.tenant());
        }
        if (workspace.ownLogin()) {
            body.put("metered", false);
        }
        var millis = startMillis.get(workspace.runtime());
        return millis == null ? body : body.put("provision_timeout_ms", millis);
    }

    private static ObjectNode confidential(Workspace workspace, ObjectNode body) {
        var health = workspace.health();
        return body.put("last_sample_error", health.sampleError())
                .put("current_task", health.currentTask())
                .put("workspace_dir", workspace.workspaceDir())
                .put("monthly_spend", health.monthlySpend())
                .put("budget_limit", workspace.budgetLimit());
    }
}
