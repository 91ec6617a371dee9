package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Which model an agent thinks with. */
@Command(name = "model", description = "Show or set the model of an agent.")
final class ModelCommand extends PlatformCommand {

    @Parameters(index = "0", paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "MODEL",
            description = "provider:model; the agent restarts with it")
    private @Nullable String model;

    ModelCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String path = "/workspaces/" + Named.idOf(api, agent) + "/model";
        if (model == null) {
            var answer = Named.done("The model of " + agent + " is not known", api.call("GET", path));
            String uses = answer.getString("model", "");
            if (json) {
                console.out(answer.encode());
            } else if (uses.isEmpty()) {
                console.say("Nobody chose a model for " + agent + ".");
            } else {
                console.out(uses);
            }
            return 0;
        }
        var answer =
                Named.done(agent + " keeps its model", api.call("PUT", path, new JsonObject().put("model", model)));
        if (json) {
            console.out(answer.encode());
        } else {
            console.say(agent + " uses " + model + " from its next start, which comes by itself.");
        }
        return 0;
    }
}
