package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tries every door of a platform with every kind of credential and prints what it answered. */
@Command(
        name = "doctor",
        description = "Looks at a running platform.",
        footer = {
            "",
            "--doors changes nothing: routes that change something are asked with an id nobody has or a body that is cut off,",
            "and those that such a request could not stop are left out. With --as a token is made and revoked again at the end."
        })
public final class DoctorCommand implements Callable<Integer> {

    private static final String ROW = "%-7s %-58s %5s %8s %5s %6s";

    @Option(
            names = "--doors",
            required = true,
            description =
                    "What each route answers to nobody, to a token nobody issued, to an agent's and to the ADMIN_TOKEN.")
    private boolean doors;

    @Option(
            names = "--as",
            paramLabel = "NAME|ID",
            description = "The agent in whose name the routes are tried; without one that column stays empty")
    private @Nullable String agent;

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
        return platform.ask(home, System.getenv(), this::walk);
    }

    private int walk(PlatformApi api) throws IOException {
        if (agent == null) {
            table(api, Optional.empty(), Optional.empty());
            return 0;
        }
        String id = Named.idOf(api, agent);
        String token = Named.done("No token of " + agent + " could be made", api.call("POST", tokensOf(id)))
                .getString("auth_token", "");
        try {
            table(api, Optional.of(id), Optional.of(token));
        } finally {
            revoke(api, id, token);
        }
        return 0;
    }

    private void table(PlatformApi api, Optional<String> id, Optional<String> token) throws IOException {
        Map<String, Optional<String>> credentials = new LinkedHashMap<>();
        credentials.put("none", Optional.of(""));
        credentials.put("garbage", Optional.of("doors-" + UUID.randomUUID()));
        credentials.put("agent", token);
        credentials.put("admin", api.bearer());
        console.out(ROW.formatted("METHOD", "ROUTE", "none", "garbage", "agent", "admin"));
        var unknown = UUID.randomUUID().toString();
        int left = 0;
        try (var trials = new Trials(api, console)) {
            for (TriedRoute door : TriedRoute.all()) {
                List<Object> row = new ArrayList<>(List.of(door.method(), door.path()));
                for (Optional<String> credential : credentials.values()) {
                    boolean tried = credential.isPresent() && door.trial() != TriedRoute.Trial.NONE;
                    row.add(tried ? trials.answerOf(door, door.pathFor(id, unknown), credential.get()) : "-");
                }
                left += door.trial() == TriedRoute.Trial.NONE ? 1 : 0;
                console.out(ROW.formatted(row.toArray()));
            }
        }
        console.say(
                "Nothing was changed" + (token.isEmpty() ? "" : ", but for the token that was made and is revoked now")
                        + ". Routes that change something were asked with the id " + unknown
                        + ", which nobody has, or with a body that is cut off: whatever is neither 401 nor 403 there says that the door"
                        + " stood open. " + left + " were not asked, because neither would have stopped them.");
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
