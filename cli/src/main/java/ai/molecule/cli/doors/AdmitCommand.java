package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Takes an agent that registered by itself into the organisation. */
@Command(
        name = "admit",
        description =
                "Gives an agent that came by itself what others have: secrets, memories and events of its organisation.")
public final class AdmitCommand implements Callable<Integer> {

    @Parameters(paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Mixin
    private PlatformOptions platform = new PlatformOptions();

    private final Console console;
    private final MoleculeHome home;

    public AdmitCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() {
        return platform.ask(home, System.getenv(), this::admit);
    }

    private int admit(PlatformApi api) throws IOException {
        String id = Named.idOf(api, agent);
        Named.done(agent + " was not admitted", api.call("POST", "/workspaces/" + id + "/admit"));
        console.say(agent + " (" + id + ") is admitted.");
        return 0;
    }
}
