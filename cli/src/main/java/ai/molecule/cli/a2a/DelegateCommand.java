package ai.molecule.cli.a2a;

import ai.molecule.cli.Console;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Gives work to a peer. */
@Command(name = "delegate", description = "Delegate a task to a peer and print its answer.")
final class DelegateCommand implements Callable<Integer> {

    @Mixin
    private Speaker speaker = new Speaker();

    @Option(names = "--async", description = "Do not wait: print a JSON object with the delegation_id at once.")
    private boolean async;

    @Parameters(index = "0", paramLabel = "WORKSPACE_ID", description = "The peer.")
    private String target = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "TASK",
            description = "What it is to do; words need no quotes.")
    private List<String> words = new ArrayList<>();

    private final Console console;
    private final Map<String, String> environment;

    DelegateCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        return speaker.print(
                console, environment, commands -> commands.delegate(target, String.join(" ", words), async));
    }
}
