package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes a place for an agent that is not there yet. Whoever registers its id first is that agent, so the id is shown here alone. */
@Command(
        name = "invite",
        description = "Makes a place for an agent of yours, and prints the id it registers with, once.",
        footer = {
            "",
            "Exit codes: 0 the id is on standard output, 1 the platform failed, 2 something for you to change."
        })
public final class InviteCommand implements Callable<Integer> {

    private static final Pattern SPAN = Pattern.compile("([1-9][0-9]{0,6})([smhd])");
    private static final Map<String, Duration> UNITS = Map.of(
            "s", Duration.ofSeconds(1), "m", Duration.ofMinutes(1), "h", Duration.ofHours(1), "d", Duration.ofDays(1));

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

    @Mixin
    private PlatformOptions platform = new PlatformOptions();

    private final Console console;
    private final MoleculeHome home;

    public InviteCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() {
        var body = new JsonObject().put("expires_in_seconds", expiresIn().toSeconds());
        Named.putIfGiven(body, "name", name);
        Named.putIfGiven(body, "role", role);
        Named.putIfGiven(body, "tier", tier);
        return platform.ask(home, System.getenv(), api -> invite(api, body));
    }

    private int invite(PlatformApi api, JsonObject body) throws IOException {
        if (parent != null) {
            body.put("parent_id", Named.idOf(api, parent));
        }
        var invited = Named.done("It was not invited", api.call("POST", "/invitations", body));
        String id = invited.getString("id", "");
        console.out(id);
        console.say("""
                The first who registers this id until %s is %s and gets its token; nobody is shown the id again. Give it to one agent:
                  WORKSPACE_ID=%s PLATFORM_URL=%s
                or let a command be that agent:
                  ./molecule connect --platform-url %s --workspace-id %s --handler 'cmd: ./answer.sh'""".formatted(
                        invited.getString("expires_at", "it expires"),
                        invited.getString("name", "the agent"),
                        id,
                        api.url(),
                        api.url(),
                        id));
        return 0;
    }

    private Duration expiresIn() {
        var span = SPAN.matcher(expires);
        if (!span.matches()) {
            throw LaunchFailure.usersTurn("--expires " + expires + " is no span of time; try 90s, 30m, 24h or 7d.");
        }
        return UNITS.getOrDefault(span.group(2), Duration.ZERO).multipliedBy(Long.parseLong(span.group(1)));
    }
}
