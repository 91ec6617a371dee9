package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes an agent; whoever leads others only when it is said that these go too. */
@Command(name = "rm", description = "Delete an agent.")
final class RemoveCommand extends PlatformCommand {

    @Parameters(paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Option(names = "--branch", description = "Delete all agents below it, too.")
    private boolean branch;

    @Option(names = "--purge", description = "Delete its files, memories and activity, too.")
    private boolean purge;

    RemoveCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String id = Named.idOf(api, agent);
        var answer = api.call("DELETE", "/workspaces/%s?confirm=%s&purge=%s".formatted(id, branch, purge));
        if (answer.status() == 409 && answer.body().containsKey("children")) {
            throw LaunchFailure.usersTurn("%s leads %d others (%s), who would go too; say --branch if they shall."
                    .formatted(agent, answer.body().getInteger("children_count", 0), names(answer.body())));
        }
        var removed = Named.done(agent + " was not removed", answer);
        if (json) {
            console.out(removed.encode());
        } else {
            console.say("%s (%s) is removed%s.".formatted(agent, id, branch ? " with everybody below it" : ""));
        }
        return 0;
    }

    private static String names(JsonObject refusal) {
        return refusal.getJsonArray("children", new JsonArray()).stream()
                .filter(JsonObject.class::isInstance)
                .map(child -> Printable.line(((JsonObject) child).getString("name", "")))
                .limit(5)
                .collect(Collectors.joining(", "));
    }
}
