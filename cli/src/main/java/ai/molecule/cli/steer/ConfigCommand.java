package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** What is kept as an agent's config, member by member. */
@Command(
        name = "config",
        description = "Show or change the stored configuration of an agent.",
        footer = {"", "The agent's own config.yaml is among its files: ./molecule files get NAME /configs/config.yaml."
        })
final class ConfigCommand extends PlatformCommand {

    @Parameters(index = "0", paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Parameters(
            index = "1..*",
            paramLabel = "MEMBER=VALUE",
            description = "A value that is JSON is taken as such (3, true, [1,2], null), any other as text.")
    private List<String> members = new ArrayList<>();

    ConfigCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        var changes = Members.of(members);
        String path = "/workspaces/" + Named.idOf(api, agent) + "/config";
        if (!changes.isEmpty()) {
            return tell(
                    Named.done("The config of " + agent + " stays", api.call("PATCH", path, changes)),
                    "The config of " + agent + " is changed.");
        }
        var data = Named.done("The config of " + agent + " is not known", api.call("GET", path))
                .getJsonObject("data", new JsonObject());
        if (json) {
            console.out(data.encode());
            return 0;
        }
        for (var member : data) {
            console.out(Printable.line(member.getKey() + "=" + shown(member.getValue())));
        }
        return 0;
    }

    private static String shown(@Nullable Object value) {
        return value instanceof String text ? text : Json.encode(value);
    }
}
