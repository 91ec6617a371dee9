package ai.molecule.cli.a2a;

import ai.molecule.cli.Console;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What became of a task that was given away without waiting. */
@Command(name = "status", description = "Show the status of a task delegated with --async.")
final class StatusCommand implements Callable<Integer> {

    @Mixin
    private Speaker speaker = new Speaker();

    @Parameters(index = "0", paramLabel = "WORKSPACE_ID", description = "The peer it was given to.")
    private String target = "";

    @Parameters(index = "1", paramLabel = "DELEGATION_ID", description = "What delegate --async printed.")
    private String delegation = "";

    private final Console console;
    private final Map<String, String> environment;

    StatusCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        return speaker.print(console, environment, commands -> commands.status(target, delegation));
    }
}
