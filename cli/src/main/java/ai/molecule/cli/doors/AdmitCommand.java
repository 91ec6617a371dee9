package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Takes an agent that registered by itself into the organisation. */
@Command(
        name = "admit",
        description =
                "Approve an agent that registered by itself: it gets the secrets, memories and events of its organization.")
public final class AdmitCommand extends PlatformCommand {

    @Parameters(paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    public AdmitCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String id = Named.idOf(api, agent);
        return tell(
                Named.done(agent + " was not admitted", api.call("POST", "/workspaces/" + id + "/admit")),
                agent + " (" + id + ") is admitted.");
    }
}
