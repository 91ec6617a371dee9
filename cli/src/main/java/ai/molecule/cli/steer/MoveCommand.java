package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Gives an agent another place in the org chart. */
@Command(name = "move", description = "Move an agent and all agents below it under another agent.")
final class MoveCommand extends PlatformCommand {

    @Parameters(paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Option(names = "--under", paramLabel = "NAME|ID", description = "New parent.")
    private @Nullable String parent;

    @Option(names = "--root", description = "Move the agent to the top level.")
    private boolean root;

    MoveCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected void check() {
        if (root == (parent != null)) {
            throw LaunchFailure.usersTurn("Say who leads it from now on: either --under NAME or --root.");
        }
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String id = Named.idOf(api, agent);
        var wanted = new JsonObject().put("parent_id", parent == null ? null : Named.idOf(api, parent));
        var moved = Named.done(agent + " stays where it is", api.call("PATCH", "/workspaces/" + id, wanted));
        if (json) {
            console.out(moved.encode());
        } else {
            console.say(agent + (parent == null ? " is a root now." : " is under " + parent + " now."));
        }
        return 0;
    }
}
