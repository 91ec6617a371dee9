package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import ai.molecule.cli.http.TimeSpan;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a place for an agent that is not there yet. Whoever registers its id first is that agent, so the id is shown here alone. */
@Command(
        name = "invite",
        description = "Create a place for an agent of yours and print, once, the id it registers with.",
        footer = {
            "",
            "Exit codes: 0 the id is on standard output, 1 the platform failed, 2 something for you to change."
        })
public final class InviteCommand extends PlatformCommand {

    @Option(names = "--parent", paramLabel = "NAME|ID", description = "Whose child it becomes. Default: a root")
    private @Nullable String parent;

    @Option(names = "--name", paramLabel = "NAME", description = "What it is called. Default: the platform chooses")
    private @Nullable String name;

    @Option(names = "--role", paramLabel = "TEXT", description = "What it is for")
    private @Nullable String role;

    @Option(names = "--tier", paramLabel = "N", description = "Its tier. Default: the platform's")
    private @Nullable Integer tier;

    @Option(
            names = "--expires",
            paramLabel = "SPAN",
            defaultValue = "24h",
            description = "How long the id may be registered, as 90s, 30m, 24h or 7d. Default: ${DEFAULT-VALUE}")
    private String expires = "24h";

    public InviteCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        var body = new JsonObject()
                .put("expires_in_seconds", TimeSpan.of("--expires", expires).toSeconds());
        Named.putIfGiven(body, "name", name);
        Named.putIfGiven(body, "role", role);
        Named.putIfGiven(body, "tier", tier);
        if (parent != null) {
            body.put("parent_id", Named.idOf(api, parent));
        }
        var invited = Named.done("It was not invited", api.call("POST", "/invitations", body));
        String id = invited.getString("id", "");
        if (json) {
            console.out(invited.encode());
            return 0;
        }
        console.out(id);
        console.say("""
                The first who registers this id until %s is %s and gets its token; nobody is shown the id again. Give it to one agent:
                  WORKSPACE_ID=%s PLATFORM_URL=%s
                or let a command be that agent:
                  ./molecule connect --platform-url %s --workspace-id %s --handler 'cmd: ./answer.sh'""".formatted(
                        invited.getString("expires_at", "it expires"),
                        invited.getString("name", "the agent"),
                        Shell.quoted(id),
                        Shell.quoted(api.url()),
                        Shell.quoted(api.url()),
                        Shell.quoted(id)));
        return 0;
    }
}
