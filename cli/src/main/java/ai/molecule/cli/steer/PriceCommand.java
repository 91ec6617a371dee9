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
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What models cost by the organization's word. */
@Command(
        name = "price",
        description = "List or set prices of models, in US dollars per million tokens, or sign a price list.")
final class PriceCommand extends PlatformCommand {

    private static final String PATH = "/settings/prices";
    private static final String ROW = "%-48s %12s %12s %s";

    @Parameters(index = "0", arity = "0..1", paramLabel = "MODEL", description = "provider:model")
    private @Nullable String model;

    @Option(names = "--in", paramLabel = "DOLLARS", description = "Price of input.")
    private @Nullable BigDecimal in;

    @Option(names = "--out", paramLabel = "DOLLARS", description = "Price of output.")
    private @Nullable BigDecimal out;

    @Option(names = "--cached", paramLabel = "DOLLARS", description = "Price of cached input. Default: as input")
    private @Nullable BigDecimal cached;

    @Option(names = "--reasoning", description = "The model thinks unless a request turns that off.")
    private boolean reasoning;

    @Option(names = "--remove", description = "Remove the price.")
    private boolean remove;

    PriceCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected void check() {
        boolean priced = in != null && out != null;
        if (model == null ? in != null || out != null || remove : priced == remove) {
            throw LaunchFailure.usersTurn(
                    "Name the model and its prices: MODEL --in DOLLARS --out DOLLARS, or --remove.");
        }
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        if (model == null) {
            list(api);
            return 0;
        }
        var answer = remove
                ? Named.done(
                        model + " keeps its price", api.call("DELETE", PATH + "?model=" + PlatformApi.encoded(model)))
                : Named.done(model + " gets no price", api.call("PUT", PATH, wanted(model)));
        if (json) {
            console.out(answer.encode());
        } else {
            console.say(
                    remove
                            ? model + " has no price of the organization any more."
                            : model + " costs this from the next call on.");
        }
        return 0;
    }

    private JsonObject wanted(String name) {
        var wanted = new JsonObject().put("model", name).put("in", in).put("out", out);
        Named.putIfGiven(wanted, "cached", cached);
        return reasoning ? wanted.put("reasoning", true) : wanted;
    }

    private void list(PlatformApi api) throws IOException {
        var answer = Named.done("The prices are not known", api.call("GET", PATH));
        if (json) {
            console.out(answer.encode());
            return;
        }
        tellList(answer.getJsonObject("list", new JsonObject()));
        console.out(ROW.formatted("MODEL", "IN", "OUT", "DATED"));
        for (Object each : answer.getJsonArray("prices", new JsonArray())) {
            var row = (JsonObject) each;
            console.out(ROW.formatted(
                    Printable.line(row.getString("model", "")),
                    row.getValue("in"),
                    row.getValue("out"),
                    Printable.line(row.getString("dated", ""))));
        }
        for (Object each : answer.getJsonArray("missing", new JsonArray())) {
            console.out(ROW.formatted(Printable.line(each.toString()), "unknown", "unknown", ""));
        }
    }

    /** The list that these prices go before. */
    private void tellList(JsonObject list) {
        if (!list.isEmpty()) {
            String source = list.getString("source", "");
            console.say("Price list of %s, %s."
                    .formatted(
                            Printable.line(list.getString("dated", "")),
                            source.equals("shipped")
                                    ? "which came with this version"
                                    : "from %s, taken %s"
                                            .formatted(
                                                    Printable.line(source),
                                                    Printable.line(String.valueOf(list.getString("taken_at"))))));
        }
        var renewal = list.getJsonObject("renewal");
        if (renewal != null && renewal.getString("failure") != null) {
            console.say("%s was not taken at %s: %s."
                    .formatted(
                            Printable.line(renewal.getString("source", "")),
                            Printable.line(String.valueOf(renewal.getString("tried_at"))),
                            Printable.line(renewal.getString("failure"))));
        }
    }
}
