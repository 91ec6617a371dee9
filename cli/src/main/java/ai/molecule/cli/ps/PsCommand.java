package ai.molecule.cli.ps;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.FolderLock;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.http.PlatformApi;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what runs: services, the embedded servers, agents. */
@Command(name = "ps", description = "Lists services and agents.")
public final class PsCommand implements Callable<Integer> {

    private static final String SERVICE_ROW = "%-12s %-9s %-6s %s";
    private static final String AGENT_ROW = "%-24s %-12s %-12s %s";

    @Option(names = "--data", paramLabel = "DIR", description = "Data folder. Default: .molecule beside the launcher")
    private @Nullable Path folder;

    private final Console console;
    private final MoleculeHome home;

    public PsCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() throws IOException {
        var data = DataFolder.at(home.dataFolder(folder));
        var running = (FolderLock.isHeld(data.lock()) ? RunFile.read(data.runFile()) : Optional.<RunFile>empty())
                .orElseThrow(() -> LaunchFailure.usersTurn(
                        "Molecule is not running in " + data.root() + "; start it with ./molecule up."));
        console.out(SERVICE_ROW.formatted("SERVICE", "STATUS", "PORT", "PID"));
        running.services()
                .forEach((name, at) -> console.out(SERVICE_ROW.formatted(name, statusOf(at), at.port(), at.pid())));
        running.servers()
                .forEach((name, at) -> console.out(SERVICE_ROW.formatted(
                        name, ProcessHandle.of(at.pid()).isPresent() ? "running" : "gone", at.port(), at.pid())));
        console.out("");
        listAgents(running, data);
        return 0;
    }

    private static String statusOf(RunFile.Endpoint service) {
        try (var api = new PlatformApi("http://127.0.0.1:" + service.port(), Optional.empty(), Optional.empty())) {
            return api.answers("/ready") ? "ready" : "not ready";
        }
    }

    private void listAgents(RunFile running, DataFolder data) {
        try (var api = PlatformApi.of(running.url(), data, System.getenv())) {
            var agents = api.agents();
            console.out(AGENT_ROW.formatted("AGENT", "STATUS", "RUNTIME", "ID"));
            agents.forEach(agent ->
                    console.out(AGENT_ROW.formatted(agent.name(), agent.status(), agent.runtime(), agent.id())));
        } catch (IOException e) {
            throw LaunchFailure.broken("The platform does not list its agents: " + e.getMessage(), e);
        }
    }
}
