package ai.molecule.provisioner.organisations;

import static ai.molecule.provisioner.organisations.AgentSettings.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A workspace as it is written down, with those below it.
 *
 * @param role on one line
 * @param x where a root stands on the canvas; those below it are laid out
 * @param maxConcurrentTasks 0 where it is not said
 * @param schedules as they are written; read by {@link WrittenSchedules}
 */
record OrgWorkspace(
        String name,
        @Nullable String role,
        AgentSettings settings,
        @Nullable String template,
        @Nullable String filesDir,
        @Nullable String systemPrompt,
        @Nullable String workspaceDir,
        @Nullable String workspaceAccess,
        boolean external,
        @Nullable String url,
        int maxConcurrentTasks,
        double x,
        double y,
        List<JsonNode> schedules,
        List<Skipped> channels,
        List<EnvRequirement> required,
        List<EnvRequirement> recommended,
        List<OrgWorkspace> children) {

    static List<OrgWorkspace> allOf(JsonNode array) {
        List<OrgWorkspace> workspaces = new ArrayList<>();
        array.forEach(node -> workspaces.add(of(node)));
        return List.copyOf(workspaces);
    }

    /** This one, then those below it, parents before their children. */
    Stream<OrgWorkspace> preorder() {
        return Stream.concat(Stream.of(this), children.stream().flatMap(OrgWorkspace::preorder));
    }

    /** Without a pattern for the blanks around an end of line: on many blanks it would begin at each of them. */
    private static String onOneLine(String text) {
        return text.lines().map(String::strip).filter(line -> !line.isEmpty()).collect(Collectors.joining(" "));
    }

    private static List<JsonNode> schedules(JsonNode node) {
        List<JsonNode> schedules = new ArrayList<>();
        node.path("schedules").forEach(schedules::add);
        return List.copyOf(schedules);
    }

    private static OrgWorkspace of(JsonNode node) {
        String role = text(node, "role");
        return new OrgWorkspace(
                node.path("name").asText(),
                role == null ? null : onOneLine(role),
                AgentSettings.of(node),
                text(node, "template"),
                text(node, "files_dir"),
                text(node, "system_prompt"),
                text(node, "workspace_dir"),
                text(node, "workspace_access"),
                node.path("external").asBoolean(false),
                text(node, "url"),
                node.path("max_concurrent_tasks").asInt(0),
                node.path("canvas").path("x").asDouble(0),
                node.path("canvas").path("y").asDouble(0),
                schedules(node),
                Skipped.channels(node),
                EnvRequirement.allOf(node.path("required_env")),
                EnvRequirement.allOf(node.path("recommended_env")),
                allOf(node.path("children")));
    }
}
