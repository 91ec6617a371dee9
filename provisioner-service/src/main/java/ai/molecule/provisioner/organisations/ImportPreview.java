package ai.molecule.provisioner.organisations;

import ai.molecule.common.json.Json;
import ai.molecule.provisioner.imports.ImportedWorkspace;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an import would make, before anything is.
 *
 * @param workspaces in the order of the organisation's preorder
 * @param missing without these it is refused, unless forced
 * @param missingRecommended without these it goes on
 */
record ImportPreview(
        OrgTemplate organisation,
        List<ImportedWorkspace> workspaces,
        List<String> warnings,
        List<EnvRequirement> missing,
        List<EnvRequirement> missingRecommended) {

    /**
     * {@code {"dry_run": true, "org", "description", "workspaces": [{"name", "role", "parent", "tier", "runtime", "model", "external", "template",
     * "plugins"}], "count", "warnings", "missing_env", "missing_recommended_env"}}; {@code parent} is the place of another in the list, or null.
     */
    ObjectNode toJson() {
        var body = Json.object()
                .put("dry_run", true)
                .put("org", organisation.name())
                .put("description", organisation.description());
        var list = body.putArray("workspaces");
        Map<UUID, Integer> places = new HashMap<>();
        for (var workspace : workspaces) {
            var item = workspace.item();
            var agent = item.agent();
            places.put(item.id(), places.size());
            var entry = list.addObject()
                    .put("name", item.name())
                    .put("role", item.role())
                    .put("parent", place(places, item.parentId()))
                    .put("tier", agent.tier())
                    .put("runtime", agent.runtime())
                    .put("model", agent.model())
                    .put("external", agent.external())
                    .put("template", agent.template());
            var plugins = entry.putArray("plugins");
            workspace
                    .folders()
                    .keySet()
                    .forEach(path -> plugins.add(path.names().getLast()));
        }
        body.put("count", workspaces.size());
        body.set("warnings", Json.MAPPER.valueToTree(warnings));
        missing.forEach(each -> body.withArray("missing_env").add(each.toJson()));
        missingRecommended.forEach(
                each -> body.withArray("missing_recommended_env").add(each.toJson()));
        body.withArray("missing_env");
        body.withArray("missing_recommended_env");
        return body;
    }

    private static @Nullable Integer place(Map<UUID, Integer> places, @Nullable UUID id) {
        return id == null ? null : places.get(id);
    }
}
