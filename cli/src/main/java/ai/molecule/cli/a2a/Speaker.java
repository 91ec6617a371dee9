package ai.molecule.cli.a2a;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.WorkspaceSettings;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Who speaks, and how the answer is printed: the options all subcommands have. */
final class Speaker {

    @Option(
            names = "--source",
            paramLabel = "ID",
            description = "Which of MOLECULE_WORKSPACES speaks. Default: the first")
    private String source = "";

    @Option(names = "--json", description = "Print one JSON value.")
    private boolean json;

    boolean json() {
        return json;
    }

    WorkspaceClient workspace(Map<String, String> environment) {
        try {
            List<WorkspaceClient> workspaces = WorkspaceSettings.read(environment).stream()
                    .map(WorkspaceClient::new)
                    .toList();
            return source.isEmpty()
                    ? workspaces.getFirst()
                    : workspaces.stream()
                            .filter(each -> each.id().equals(source))
                            .findFirst()
                            .orElseThrow(
                                    () -> LaunchFailure.usersTurn("Error: " + source + " is none of your workspaces"));
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw LaunchFailure.usersTurn("Error: " + e.getMessage());
        }
    }

    /**
     * What a tool answers.
     *
     * @throws LaunchFailure with exit code 1 and the tool's words when it failed
     */
    String use(String tool, ObjectNode arguments, Map<String, String> environment) throws InterruptedException {
        var toolbox = new Toolbox(new Workspaces(List.of(workspace(environment))), Optional.empty()).in(environment);
        String answer = Tools.get(tool).run(toolbox, arguments);
        if (answer.startsWith("Error: ") || answer.startsWith("DELEGATION FAILED ")) {
            throw LaunchFailure.broken(answer);
        }
        return answer;
    }
}
