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
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes an agent; the platform starts it. */
@Command(name = "create", description = "Create an agent, start it and print its id.")
final class CreateCommand extends PlatformCommand {

    @Parameters(paramLabel = "NAME", description = "Name of the agent")
    private String name = "";

    @Option(names = "--role", paramLabel = "ROLE", description = "Role, which peers can read.")
    private @Nullable String role;

    @Option(names = "--under", paramLabel = "NAME|ID", description = "Parent. Default: none (top level)")
    private @Nullable String parent;

    @Option(names = "--template", paramLabel = "TEMPLATE", description = "Template to start from (GET /templates).")
    private @Nullable String template;

    @Option(
            names = "--runtime",
            paramLabel = "RUNTIME",
            description = "Runtime. Default: the template's, else langgraph")
    private @Nullable String runtime;

    @Option(names = "--model", paramLabel = "MODEL", description = "Model. Default: the template's")
    private @Nullable String model;

    @Option(names = "--tier", paramLabel = "1..4", description = "Resource tier. Default: 3")
    private @Nullable Integer tier;

    @Option(names = "--budget", paramLabel = "CENTS", description = "Monthly budget in US cents. Default: no limit")
    private @Nullable Long budget;

    CreateCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        var wanted = new JsonObject().put("name", name);
        Named.putIfGiven(wanted, "role", role);
        Named.putIfGiven(wanted, "template", template);
        Named.putIfGiven(wanted, "runtime", runtime);
        Named.putIfGiven(wanted, "model", model);
        Named.putIfGiven(wanted, "tier", tier);
        Named.putIfGiven(wanted, "budget_limit", budget);
        Named.putIfGiven(wanted, "parent_id", parent == null ? null : Named.idOf(api, parent));
        var created = Named.done(name + " was not created", api.call("POST", "/workspaces", wanted));
        console.out(json ? created.encode() : created.getString("id", ""));
        if (!json) {
            console.say(name + " is being started; ./molecule ps shows how it is.");
        }
        return 0;
    }
}
