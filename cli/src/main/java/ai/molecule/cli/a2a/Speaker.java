package ai.molecule.cli.a2a;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.runtime.shell.CommandFailure;
import ai.molecule.runtime.shell.PeerCommands;
import java.util.List;
import java.util.Map;
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

    /** What is said, and gives the lines to print. */
    interface Words {
        List<String> of(PeerCommands commands) throws InterruptedException;
    }

    /** Prints the lines, and returns the exit code. */
    int print(Console console, Map<String, String> environment, Words words) throws InterruptedException {
        try {
            words.of(PeerCommands.speakingFor(source, json, environment)).forEach(console::out);
            return 0;
        } catch (CommandFailure failure) {
            throw failure.exitCode() == 2
                    ? LaunchFailure.usersTurn(failure.sentence())
                    : LaunchFailure.broken(failure.sentence(), failure);
        }
    }
}
