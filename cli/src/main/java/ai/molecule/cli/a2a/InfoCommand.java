package ai.molecule.cli.a2a;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.sdk.PlatformException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The workspace itself. */
@Command(name = "info", description = "Shows the workspace that speaks.")
final class InfoCommand implements Callable<Integer> {

    @Mixin
    private Speaker speaker = new Speaker();

    private final Console console;
    private final Map<String, String> environment;

    InfoCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        JsonNode workspace = workspace();
        if (speaker.json()) {
            console.out(workspace.toString());
            return 0;
        }
        console.out("ID:     " + workspace.path("id").asText(""));
        console.out("Name:   " + workspace.path("name").asText(""));
        console.out("Role:   " + text(workspace, "role"));
        console.out("Tier:   " + text(workspace, "tier"));
        console.out("Status: " + text(workspace, "status"));
        console.out("Parent: " + text(workspace, "parent_id"));
        return 0;
    }

    private static String text(JsonNode workspace, String key) {
        return workspace.hasNonNull(key) ? workspace.path(key).asText() : "none";
    }

    private JsonNode workspace() {
        try {
            return speaker.workspace(environment).describe();
        } catch (PlatformException e) {
            throw LaunchFailure.broken("Error: could not fetch the workspace: " + e.error(), e);
        }
    }
}
