package ai.molecule.cli.steer;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Agent;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What an organisation calls its models. */
@Command(name = "alias", description = "Show or set the model aliases of an agent and all agents below it.")
final class AliasCommand extends PlatformCommand {

    @Parameters(
            index = "0",
            paramLabel = "NAME|ID",
            description = "The agent; name the agent at the top for the whole organization")
    private String agent = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "ALIAS", description = "Alias, such as fast")
    private @Nullable String alias;

    @Parameters(index = "2..*", paramLabel = "MODEL", description = "provider:model, followed by fallbacks")
    private List<String> models = List.of();

    @Option(names = "--remove", description = "Remove the alias.")
    private boolean remove;

    AliasCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected void check() {
        if (alias != null && remove == !models.isEmpty()) {
            throw LaunchFailure.usersTurn("Say what " + alias + " stands for, as provider:model, or --remove.");
        }
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String path = "/workspaces/" + Named.idOf(api, agent) + "/model-aliases";
        if (alias == null) {
            show(api, path);
            return 0;
        }
        String one = path + "/" + PlatformApi.encoded(alias);
        var answer = remove
                ? Named.done(alias + " stays", api.call("DELETE", one))
                : Named.done(
                        alias + " stays what it was",
                        api.call("PUT", one, new JsonObject().put("models", new JsonArray(models))));
        if (json) {
            console.out(answer.encode());
        } else {
            console.say(
                    remove
                            ? agent + " and all below it have no " + alias + " any more."
                            : alias + " is " + models.getFirst() + " now, for " + agent + " and all below it.");
        }
        return 0;
    }

    private void show(PlatformApi api, String path) throws IOException {
        var answer = Named.done("The aliases of " + agent + " are not known", api.call("GET", path));
        if (json) {
            console.out(answer.encode());
            return;
        }
        Map<String, String> names = api.agents().stream().collect(Collectors.toMap(Agent::id, Agent::name));
        var rows = new Columns("ALIAS", "MODELS", "OF");
        for (Object each : answer.getJsonArray("aliases", new JsonArray())) {
            var row = (JsonObject) each;
            String of = row.getString("of", "");
            rows.row(
                    row.getString("name", ""),
                    row.getJsonArray("models", new JsonArray()).stream()
                            .map(String::valueOf)
                            .collect(Collectors.joining(", ")),
                    of == null || of.isEmpty() ? "the operator" : names.getOrDefault(of, of));
        }
        rows.print(console);
    }
}
