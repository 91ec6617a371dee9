package ai.molecule.cli.a2a;

import ai.molecule.cli.Console;
import ai.molecule.runtime.shell.PeerCommands;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Whom the workspace may talk to. */
@Command(name = "peers", description = "List the peers that the workspace can message.")
final class PeersCommand implements Callable<Integer> {

    @Mixin
    private Speaker speaker = new Speaker();

    private final Console console;
    private final Map<String, String> environment;

    PeersCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        return speaker.print(console, environment, PeerCommands::peers);
    }
}
