package ai.molecule.cli.a2a;

import ai.molecule.cli.Console;
import ai.molecule.runtime.shell.PeerCommands;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The workspace itself. */
@Command(name = "info", description = "Show the workspace that this command speaks for.")
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
    public Integer call() throws InterruptedException {
        return speaker.print(console, environment, PeerCommands::info);
    }
}
