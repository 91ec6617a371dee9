package ai.molecule.runtime.shell;

import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.WorkspaceSettings;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a workspace can do with its peers from a shell. Each gives the lines to print, or one JSON value, and fails with a {@link
 * CommandFailure}.
 */
public final class PeerCommands {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final WorkspaceClient workspace;
    private final Toolbox toolbox;
    private final boolean json;

    private PeerCommands(WorkspaceClient workspace, Map<String, String> environment, boolean json) {
        this.workspace = workspace;
        this.toolbox = new Toolbox(new Workspaces(List.of(workspace)), Optional.empty()).in(environment);
        this.json = json;
    }

    /**
     * @param source which of the environment's workspaces speaks; the first when empty
     * @param json one JSON value instead of lines for people
     */
    public static PeerCommands speakingFor(String source, boolean json, Map<String, String> environment) {
        try {
            var workspace = WorkspaceSettings.read(environment).stream()
                    .filter(each -> source.isEmpty() || each.workspaceId().equals(source))
                    .findFirst()
                    .map(WorkspaceClient::new)
                    .orElseThrow(() -> CommandFailure.usersTurn("Error: " + source + " is none of your workspaces"));
            return new PeerCommands(workspace, environment, json);
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw CommandFailure.usersTurn("Error: " + e.getMessage());
        }
    }

    /** Whom the workspace may talk to, in columns. */
    public List<String> peers() {
        try {
            var peers = workspace.peers();
            if (json) {
                var rows = JSON.createArrayNode();
                peers.forEach(peer -> rows.addObject()
                        .put("id", peer.id())
                        .put("name", peer.name())
                        .put("status", peer.status())
                        .put("role", peer.role()));
                return List.of(rows.toString());
            }
            return peers.stream()
                    .map(peer -> "%s  %-30s  %-10s  %s"
                            .formatted(peer.id(), peer.name(), peer.status(), peer.role())
                            .stripTrailing())
                    .toList();
        } catch (PlatformException e) {
            throw CommandFailure.broken("Error: could not fetch peers: " + e.error());
        }
    }

    /** The workspace itself, in six lines. */
    public List<String> info() {
        try {
            JsonNode self = workspace.describe();
            return json
                    ? List.of(self.toString())
                    : List.of(
                            "ID:     " + self.path("id").asText(""),
                            "Name:   " + self.path("name").asText(""),
                            "Role:   " + text(self, "role"),
                            "Tier:   " + text(self, "tier"),
                            "Status: " + text(self, "status"),
                            "Parent: " + text(self, "parent_id"));
        } catch (PlatformException e) {
            throw CommandFailure.broken("Error: could not fetch the workspace: " + e.error());
        }
    }

    /** The peer's answer, or with {@code async} the delegation as JSON at once. */
    public List<String> delegate(String target, String task, boolean async) throws InterruptedException {
        ObjectNode arguments =
                JSON.createObjectNode().put("workspace_id", target).put("task", task);
        String answer = use(async ? "delegate_task_async" : "delegate_task", arguments);
        ObjectNode wrapped = JSON.createObjectNode().put("workspace_id", target).put("answer", answer);
        return List.of(json && !async ? wrapped.toString() : answer);
    }

    /** What became of a delegation: its status, and what there is of an answer or an error. */
    public List<String> status(String target, String delegationId) throws InterruptedException {
        ObjectNode arguments =
                JSON.createObjectNode().put("workspace_id", target).put("task_id", delegationId);
        JsonNode row = parsed(use("check_task_status", arguments));
        if (row.path("status").asText().equals("not_found")) {
            throw CommandFailure.broken("Error: no delegation " + delegationId);
        }
        if (json) {
            return List.of(row.toString());
        }
        List<String> lines = new ArrayList<>();
        lines.add("Status: " + row.path("status").asText("unknown"));
        for (String detail : new String[] {"response_preview", "error"}) {
            if (row.hasNonNull(detail)) {
                lines.add(row.path(detail).asText());
            }
        }
        return lines;
    }

    private String use(String tool, ObjectNode arguments) throws InterruptedException {
        String answer = Tools.get(tool).run(toolbox, arguments);
        if (answer.startsWith("Error: ") || answer.startsWith("DELEGATION FAILED ")) {
            throw CommandFailure.broken(answer);
        }
        return answer;
    }

    private static JsonNode parsed(String answer) {
        try {
            return JSON.readTree(answer);
        } catch (JsonProcessingException e) {
            throw CommandFailure.broken("Error: the platform answered no JSON");
        }
    }

    private static String text(JsonNode row, String key) {
        return row.hasNonNull(key) ? row.path(key).asText() : "none";
    }
}
