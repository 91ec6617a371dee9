package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Cuts an agent off: it is stopped, its tokens end, nobody may register it and nothing reaches it, until a person releases it. */
@Command(
        name = "quarantine",
        description = "Stop an agent, revoke its tokens and block its messages until it is released.")
public final class QuarantineCommand extends PlatformCommand {

    @Parameters(paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Option(names = "--branch", description = "And everybody below it.")
    private boolean branch;

    @Option(names = "--release", description = "Ends the quarantine instead.")
    private boolean release;

    public QuarantineCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected void check() {
        if (branch && release) {
            throw LaunchFailure.usersTurn("--branch goes with a quarantine, not with its --release.");
        }
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String id = Named.idOf(api, agent);
        String path = "/workspaces/" + id + "/quarantine";
        if (release) {
            return tell(
                    Named.done(agent + " was not released", api.call("DELETE", path)),
                    agent + " (" + id + ") is released; ./molecule ps shows how it is.");
        }
        return tell(
                Named.done(
                        agent + " was not quarantined", api.call("POST", path, new JsonObject().put("branch", branch))),
                "%s (%s)%s is in quarantine; ./molecule quarantine %s --release ends it."
                        .formatted(agent, id, branch ? " with everybody below it" : "", Shell.quoted(id)));
    }
}
