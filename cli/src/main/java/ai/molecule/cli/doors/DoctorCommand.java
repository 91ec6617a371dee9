package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import ai.molecule.cli.machine.BackgroundWork;
import ai.molecule.cli.machine.ClusterChecks;
import ai.molecule.cli.machine.Finding;
import ai.molecule.cli.machine.MachineChecks;
import ai.molecule.cli.machine.MachineReport;
import ai.molecule.cli.machine.ModelKeys;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Looks at this machine, or tries every door of a platform with every kind of credential and prints what it answered. */
@Command(
        name = "doctor",
        description = "Check this machine and the running platform, and say how to fix what is wrong.",
        footer = {
            "",
            "Exit codes: 0 nothing stands in the way, 1 the platform failed, 2 something for you to change.",
            "",
            "--doors changes nothing: routes that change something are asked with an id nobody has or a body that is cut off,",
            "and what such a request could not stop is not asked as an administrator. With --as a token of the agent and an org token",
            "are made and revoked again at the end."
        })
public final class DoctorCommand implements Callable<Integer> {

    private static final String ROW = "%-7s %-58s %5s %8s %5s %5s %6s";
    private static final String ORG_TOKENS = "/org/tokens";
    private static final Set<String> ADMINISTRATORS = Set.of("org", "admin");

    @Option(
            names = "--doors",
            description =
                    "What each route answers to nobody, to a token nobody issued, to an agent's, an org token and the ADMIN_TOKEN.")
    private boolean doors;

    @Option(
            names = "--as",
            paramLabel = "NAME|ID",
            description =
                    "The agent in whose name the routes are tried; without one its column and that of org tokens stay empty")
    private @Nullable String agent;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "The front door's, as it will be given to up. Default: ${DEFAULT-VALUE}")
    private int port = 8080;

    @Option(names = "--json", description = "Of this machine: as JSON.")
    private boolean json;

    @Mixin
    private PlatformOptions platform = new PlatformOptions();

    private final Console console;
    private final MoleculeHome home;

    public DoctorCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() {
        if (doors) {
            return platform.ask(home, System.getenv(), this::walk);
        }
        if (agent != null) {
            throw LaunchFailure.usersTurn("--as goes with --doors.");
        }
        return machine();
    }

    private int machine() {
        var data = platform.data(home);
        var running = PlatformOptions.found(data);
        var launcher = running.map(run -> OptionalLong.of(run.pid())).orElse(OptionalLong.empty());
        int door = running.map(run -> URI.create(run.url()).getPort()).orElse(port);
        var findings =
                new ArrayList<>(new MachineChecks(Path.of("/"), System.getenv(), data.root(), launcher, door).all());
        findings.addAll(ClusterChecks.of(System.getenv()));
        findings.addAll(running.map(run -> platform(run, data)).orElseGet(() -> List.of(ModelKeys.unknown())));
        return new MachineReport(findings).print(console, json);
    }

    private static List<Finding> platform(RunFile running, DataFolder data) {
        try (var api = PlatformApi.of(running.url(), data, System.getenv())) {
            var findings = new ArrayList<>(List.of(ModelKeys.of(api)));
            findings.addAll(BackgroundWork.of(api));
            return findings;
        } catch (IOException away) {
            return List.of(ModelKeys.unknown());
        }
    }

    private int walk(PlatformApi api) throws IOException {
        Map<String, Optional<String>> credentials = new LinkedHashMap<>();
        credentials.put("none", Optional.of(""));
        credentials.put("garbage", Optional.of("doors-" + UUID.randomUUID()));
        credentials.put("agent", Optional.empty());
        credentials.put("org", Optional.empty());
        credentials.put("admin", api.bearer());
        if (agent == null) {
            table(api, Optional.empty(), credentials);
            return 0;
        }
        String id = Named.idOf(api, agent);
        String own = Named.done("No token of " + agent + " could be made", api.call("POST", tokensOf(id)))
                .getString("auth_token", "");
        credentials.put("agent", Optional.of(own));
        try {
            var organisation = Named.done("No org token could be made", api.call("POST", ORG_TOKENS));
            credentials.put("org", Optional.of(organisation.getString("auth_token", "")));
            try {
                table(api, Optional.of(id), credentials);
            } finally {
                Named.done(
                        "The org token made for this is still there",
                        api.call("DELETE", ORG_TOKENS + "/" + organisation.getString("id")));
            }
        } finally {
            revoke(api, id, own);
        }
        return 0;
    }

    private void table(PlatformApi api, Optional<String> id, Map<String, Optional<String>> credentials)
            throws IOException {
        console.out(ROW.formatted("METHOD", "ROUTE", "none", "garbage", "agent", "org", "admin"));
        var unknown = UUID.randomUUID().toString();
        try (var trials = new Trials(api, console)) {
            for (TriedRoute door : TriedRoute.all()) {
                List<Object> row = new ArrayList<>(List.of(door.method(), door.path()));
                for (var credential : credentials.entrySet()) {
                    boolean tried = credential.getValue().isPresent()
                            && (door.trial() != TriedRoute.Trial.NOT_BY_ADMINISTRATORS
                                    || !ADMINISTRATORS.contains(credential.getKey()));
                    row.add(
                            tried
                                    ? trials.answerOf(
                                            door,
                                            door.pathFor(id, unknown),
                                            credential.getValue().get())
                                    : "-");
                }
                console.out(ROW.formatted(row.toArray()));
            }
        }
        console.say(
                "Nothing was changed" + (id.isEmpty() ? "" : ", but for the tokens that were made and are revoked now")
                        + ". Routes that change something were asked with the id " + unknown
                        + ", which nobody has, or with a body that is cut off: whatever is neither 401 nor 403 there says that the door"
                        + " stood open, and 400 below /registry that who asks stands in the body. What neither would have stopped was not"
                        + " asked as an administrator.");
    }

    private static String tokensOf(String id) {
        return "/workspaces/" + id + "/tokens";
    }

    private void revoke(PlatformApi api, String id, String token) throws IOException {
        var listed = Named.done("The tokens were not listed", api.call("GET", tokensOf(id)));
        for (Object each : listed.getJsonArray("tokens", new JsonArray())) {
            if (each instanceof JsonObject row && isOf(row, token)) {
                Named.done(
                        "The token made for this is still there",
                        api.call("DELETE", tokensOf(id) + "/" + row.getString("id")));
                return;
            }
        }
        throw LaunchFailure.broken("The token made for this was not found again; revoke the newest of " + id + ".");
    }

    private static boolean isOf(JsonObject row, String token) {
        String prefix = row.getString("prefix", "");
        return !prefix.isEmpty() && token.startsWith(prefix);
    }
}
