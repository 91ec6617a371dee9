package ai.molecule.cli.logs;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.RunningPlatforms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the log of one service, server or agent; also when the platform does not run any more. */
@Command(
        name = "logs",
        description =
                "Print the log of a service (molecule, registry, proxy, events, provisioner, postgres, redis) or of an agent.")
public final class LogsCommand implements Callable<Integer> {

    @Parameters(index = "0", paramLabel = "NAME", description = "A service, or an agent's name or id")
    private String name = "";

    @Option(
            names = {"-f", "--follow"},
            description = "Keep printing what is added, until Ctrl-C.")
    private boolean follow;

    @Option(names = "--data", paramLabel = "DIR", description = MoleculeHome.DATA_DEFAULT)
    private @Nullable Path folder;

    private final Console console;
    private final MoleculeHome home;

    public LogsCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var data = RunningPlatforms.meant(home, folder);
        var finder = new LogFinder(data);
        var log = finder.find(name);
        if (log.isPresent()) {
            new LogPrinter(log.get(), console).print(follow);
        } else {
            printContainer(data, finder.idOfAgent(name));
        }
        return 0;
    }

    private void printContainer(DataFolder data, String id) {
        String log = new ContainerLog(data, System.getenv())
                .find(id)
                .orElseThrow(() -> LaunchFailure.usersTurn(
                        "There is no log of \"" + name + "\" in " + data.root() + "; ./molecule ps lists the names."));
        if (follow) {
            console.say("the log of a container is followed with: docker logs -f ws-" + id.substring(0, 12));
        }
        log.lines().forEach(console::out);
    }
}
