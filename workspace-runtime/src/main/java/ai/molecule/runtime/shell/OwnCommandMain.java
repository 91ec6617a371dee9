package ai.molecule.runtime.shell;

import ai.molecule.runtime.mcp.McpServer;
import ai.molecule.runtime.tools.Approving;
import ai.molecule.runtime.tools.HeldCall;
import ai.molecule.runtime.tools.PermissionPrompt;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.WorkspaceSettings;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.WorkspaceClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code molecule mcp} and {@code molecule a2a} for the programs of an agent: as much of the command that people install as a model
 * is told of. Exit code 0 done, 1 the platform or the peer failed, 2 the arguments or the environment are wrong.
 */
public final class OwnCommandMain {

    private static final String USAGE = """
            molecule mcp
            molecule a2a peers [--json]
            molecule a2a delegate [--async] [--json] <workspace-id> <task>
            molecule a2a status [--json] <workspace-id> <delegation-id>
            molecule a2a info [--json]
            Of several workspaces (MOLECULE_WORKSPACES) --source <id> says which one speaks; without it the first does.""";

    private final Map<String, String> environment;
    private final InputStream in;
    private final PrintStream out;

    OwnCommandMain(Map<String, String> environment, InputStream in, OutputStream out) {
        this.environment = environment;
        this.in = in;
        this.out = new PrintStream(out, true, StandardCharsets.UTF_8);
    }

    public static void main(String[] words) {
        var command = new OwnCommandMain(System.getenv(), System.in, System.out);
        System.setOut(System.err); // a library that prints must not end up in the protocol
        try {
            command.run(List.of(words));
        } catch (CommandFailure failure) {
            System.err.println(failure.sentence());
            System.exit(failure.exitCode());
        } catch (IOException | InterruptedException broken) {
            System.err.println("Error: " + broken.getMessage());
            System.exit(1);
        }
    }

    void run(List<String> words) throws IOException, InterruptedException {
        if (words.equals(List.of("mcp"))) {
            serve();
        } else if (words.size() > 1 && words.getFirst().equals("a2a")) {
            talk(words.get(1), words.subList(2, words.size())).forEach(out::println);
        } else {
            throw CommandFailure.usersTurn(USAGE);
        }
    }

    private void serve() throws IOException, InterruptedException {
        try {
            var clients = WorkspaceSettings.read(environment).stream()
                    .map(WorkspaceClient::new)
                    .toList();
            var toolbox = new Toolbox(new Workspaces(clients), Optional.empty()).in(environment);
            Optional<String> task = Optional.ofNullable(environment.get("MOLECULE_TASK_ID"));
            var ofTheTask = task.isEmpty() ? List.<ToolSpec>of() : asking();
            new McpServer(task.map(id -> toolbox.during(new HeldCall(id))).orElse(toolbox), ofTheTask, in, out).run();
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw CommandFailure.usersTurn("Error: " + e.getMessage());
        }
    }

    /** What only somebody who works on a task can use. */
    private List<ToolSpec> asking() {
        return environment.containsKey(PermissionPrompt.VARIABLE)
                ? List.of(Approving.TOOL, PermissionPrompt.TOOL)
                : List.of(Approving.TOOL);
    }

    /** Options stand before the words they are about: a task may have any words. */
    private List<String> talk(String verb, List<String> after) throws InterruptedException {
        var words = new ArrayList<>(after);
        boolean json = false;
        boolean async = false;
        String source = "";
        while (!words.isEmpty() && words.getFirst().startsWith("--")) {
            switch (words.removeFirst()) {
                case "--json" -> json = true;
                case "--async" -> async = true;
                case "--source" -> source = words.isEmpty() ? "" : words.removeFirst();
                default -> throw CommandFailure.usersTurn(USAGE);
            }
        }
        if (words.size() < leastWords(verb)) {
            throw CommandFailure.usersTurn(USAGE);
        }
        var commands = PeerCommands.speakingFor(source, json, environment);
        return switch (verb) {
            case "peers" -> commands.peers();
            case "info" -> commands.info();
            case "status" -> commands.status(words.get(0), words.get(1));
            default -> commands.delegate(words.getFirst(), String.join(" ", words.subList(1, words.size())), async);
        };
    }

    private static int leastWords(String verb) {
        return switch (verb) {
            case "peers", "info" -> 0;
            case "status", "delegate" -> 2;
            default -> throw CommandFailure.usersTurn(USAGE);
        };
    }
}
