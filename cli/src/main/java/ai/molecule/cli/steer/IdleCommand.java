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
import picocli.CommandLine.Parameters;

/** After how long an idle agent is put to sleep. */
@Command(
        name = "idle",
        description = "Show or set after how many idle minutes an agent, and all agents below it, hibernate.",
        footer = {"", "One that sleeps costs no memory, and is woken by what comes for it."})
final class IdleCommand extends PlatformCommand {

    @Parameters(index = "0", paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "MINUTES",
            description = "Minutes, never, or inherit for the value of the parent")
    private @Nullable String minutes;

    IdleCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected void check() {
        if (minutes != null && !minutes.matches("never|inherit|\\d{1,6}")) {
            throw LaunchFailure.usersTurn("MINUTES is a number, never or inherit.");
        }
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String path = "/workspaces/" + Named.idOf(api, agent) + "/hibernation";
        var answer = minutes == null
                ? Named.done("Of " + agent + " that is not known", api.call("GET", path))
                : Named.done(agent + " stays as it is", api.call("PATCH", path, wanted(minutes)));
        int holds = answer.getInteger("effective_idle_minutes", 0);
        return tell(
                answer,
                holds == 0
                        ? agent + " does not sleep by itself."
                        : "%s sleeps after %d idle %s%s."
                                .formatted(
                                        agent,
                                        holds,
                                        holds == 1 ? "minute" : "minutes",
                                        answer.getInteger("hibernation_idle_minutes") == null
                                                ? ", as is said above it"
                                                : ""));
    }

    private static JsonObject wanted(String minutes) {
        return new JsonObject()
                .put(
                        "hibernation_idle_minutes",
                        minutes.equals("inherit") ? null : minutes.equals("never") ? 0 : Integer.valueOf(minutes));
    }
}
