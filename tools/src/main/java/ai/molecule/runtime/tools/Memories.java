package ai.molecule.runtime.tools;

import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Remembering. */
final class Memories {

    private static final List<String> SCOPES = List.of("LOCAL", "TEAM", "GLOBAL");

    private Memories() {}

    static String commit(Toolbox toolbox, Arguments arguments) {
        String content = arguments.text("content");
        if (content.isEmpty()) {
            throw new ToolRefusal("content is required");
        }
        String asked = arguments.text("scope").toUpperCase(Locale.ROOT);
        String scope = SCOPES.contains(asked) ? asked : "LOCAL";
        WorkspaceClient source = toolbox.workspaces().source(arguments.text("source_workspace_id"));
        try {
            JsonNode kept = source.remember(SecretFilter.redact(content), scope);
            return Json.object()
                    .put("success", true)
                    .put("id", kept.path("id").asText())
                    .put("scope", kept.path("scope").asText(scope))
                    .toString();
        } catch (PlatformException e) {
            return "Error: " + e.error();
        }
    }

    static String recall(Toolbox toolbox, Arguments arguments) {
        WorkspaceClient source = toolbox.workspaces().source(arguments.text("source_workspace_id"));
        String asked = arguments.text("scope").toUpperCase(Locale.ROOT);
        List<String> lines = new ArrayList<>();
        for (String scope :
                SCOPES.contains(asked) ? List.of(asked) : SCOPES) { // without one the platform gives one's own alone
            JsonNode found = source.recall(arguments.text("query"), scope);
            for (JsonNode memory : found) {
                lines.add("[" + memory.path("scope").asText() + "] "
                        + memory.path("content").asText());
            }
        }
        return lines.isEmpty() ? "No memories found." : String.join("\n", lines);
    }
}
