package ai.molecule.cli.replay;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import ai.molecule.proxy.models.RecordedCalls;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Asks another model what was recorded, through the model door, and shows what both said and cost. */
@Command(
        name = "replay",
        description =
                "Send recorded model calls (MOLECULE_MODELS=record) to another model, and compare answers and cost.")
public final class ReplayCommand implements Callable<Integer> {

    private static final int CALLS_MAX = 10_000;
    private static final int WIDTH_MIN = 60;
    private static final int WIDTH_MAX = 400;

    @Mixin
    private PlatformOptions platform = new PlatformOptions();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FOLDER",
            description = "The recordings. Default: what MOLECULE_CASSETTES names")
    private @Nullable Path folder;

    @Option(names = "--model", required = true, paramLabel = "MODEL", description = "provider:model, or an alias")
    private String model = "";

    @Option(
            names = "--as",
            paramLabel = "NAME|ID",
            description = "Who asks and pays; its budget counts. Default: the only agent that nobody leads")
    private @Nullable String agent;

    @Option(names = "--limit", paramLabel = "N", description = "Ask at most so many. Default: 100")
    private int limit = 100;

    @Option(names = "--full", description = "Show answers as a whole, and not their first lines.")
    private boolean full;

    @Option(names = "--width", paramLabel = "COLUMNS", description = "Default: the terminal's, else 120")
    private int width = terminal();

    @Option(names = "--json", description = "Print all of it as one line of JSON.")
    private boolean json;

    private final Console console;
    private final MoleculeHome home;

    public ReplayCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() {
        if (limit < 1 || limit > CALLS_MAX) {
            throw LaunchFailure.usersTurn("--limit %d is not between 1 and %d.".formatted(limit, CALLS_MAX));
        }
        if (width < WIDTH_MIN || width > WIDTH_MAX) {
            throw LaunchFailure.usersTurn(
                    "--width %d is not between %d and %d.".formatted(width, WIDTH_MIN, WIDTH_MAX));
        }
        var recorded = recorded();
        return platform.ask(home, System.getenv(), api -> replay(api, recorded));
    }

    private List<RecordedCalls.Call> recorded() {
        String named = System.getenv("MOLECULE_CASSETTES");
        Path place = folder != null ? folder : named == null || named.isBlank() ? null : Path.of(named);
        if (place == null || !Files.isDirectory(place)) {
            throw LaunchFailure.usersTurn(
                    place == null
                            ? "Name the folder of the recordings, or set MOLECULE_CASSETTES to it."
                            : place + " is no folder of recordings.");
        }
        try {
            var all = RecordedCalls.in(place);
            if (all.isEmpty()) {
                throw LaunchFailure.usersTurn(
                        "No call is recorded in " + place + "; MOLECULE_MODELS=record with MOLECULE_CASSETTES="
                                + Shell.quoted(place.toString()) + " ./molecule up records.");
            }
            return all;
        } catch (IllegalArgumentException unreadable) {
            throw LaunchFailure.usersTurn(unreadable.getMessage() + ".");
        } catch (IOException unreadable) {
            throw LaunchFailure.broken(place + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }

    private int replay(PlatformApi api, List<RecordedCalls.Call> recorded) throws IOException {
        List<Comparison> compared = new ArrayList<>();
        var calls = recorded.subList(0, Math.min(limit, recorded.size()));
        var page = new SideBySide(model, width, full);
        try (var door = ReplayDoor.open(api, payer(api))) {
            for (var call : calls) {
                var one = Comparison.of(call, door.ask(call, model), door.prices());
                compared.add(one);
                if (!json) {
                    page.show(compared.size(), one).forEach(console::out);
                }
            }
        }
        if (json) {
            console.out(Comparison.toJson(model, compared).encode());
        } else {
            page.sum(compared).forEach(console::out);
            if (calls.size() < recorded.size()) {
                console.say("%d more are recorded; --limit asks for them.".formatted(recorded.size() - calls.size()));
            }
        }
        return compared.stream().anyMatch(one -> one.replayed().answered()) ? 0 : 1;
    }

    private String payer(PlatformApi api) throws IOException {
        if (agent != null) {
            return Named.idOf(api, agent);
        }
        var roots = api.list("/workspaces").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("parent_id") == null)
                .map(each -> each.getString("id"))
                .toList();
        if (roots.size() != 1) {
            throw LaunchFailure.usersTurn(
                    roots.isEmpty()
                            ? "There is no agent that could ask and pay; make one first."
                            : "Several agents are led by nobody; say with --as which of them asks and pays.");
        }
        return roots.getFirst();
    }

    private static int terminal() {
        String columns = String.valueOf(System.getenv("COLUMNS"));
        return columns.matches("\\d{2,3}") ? Math.clamp(Integer.parseInt(columns), WIDTH_MIN, WIDTH_MAX) : 120;
    }
}
