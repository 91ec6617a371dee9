package ai.molecule.provisioner.organisations;

import ai.molecule.common.json.Json;
import ai.molecule.provisioner.imports.ImportedWorkspace;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/**
 * What became of an import. All the workspaces exist.
 *
 * @param workspaces in the order of the organisation's preorder
 * @param warnings what was gone without
 * @param error what went wrong after the workspaces were created
 */
record ImportReport(
        OrgTemplate organisation, List<ImportedWorkspace> workspaces, List<String> warnings, Optional<String> error) {

    /** {@code {"org", "workspaces": [{"id", "name", "tier", "schedules"?, "channels_skipped"?}], "count", "warnings"?, "error"?}}. */
    ObjectNode toJson() {
        var body = Json.object().put("org", organisation.name());
        var list = body.putArray("workspaces");
        var written = organisation.preorder().iterator();
        for (var workspace : workspaces) {
            var item = workspace.item();
            var from = written.next();
            var entry = list.addObject()
                    .put("id", item.id().toString())
                    .put("name", item.name())
                    .put("tier", item.agent().tier());
            if (!from.schedules().isEmpty()) {
                entry.put("schedules", from.schedules().size());
            }
            from.channels().forEach(each -> entry.withArray("channels_skipped").addPOJO(each.toJson(item.name())));
        }
        body.put("count", workspaces.size());
        if (!warnings.isEmpty()) {
            body.set("warnings", Json.MAPPER.valueToTree(warnings));
        }
        error.ifPresent(text -> body.put("error", text));
        return body;
    }
}
