package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import ai.molecule.cli.machine.SpendingLimits;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What runs and days may cost. */
@Command(
        name = "budget",
        description = "Show or set what each run and each day may cost.",
        footer = {"", "To limit an agent or a team, see docs/models.md."})
final class BudgetCommand extends PlatformCommand {

    private static final String NONE = "none";

    @Option(
            names = "--run-limit",
            paramLabel = "DOLLARS|none",
            description = "Cost limit of each run for which none is given, in US dollars")
    private @Nullable String runLimit;

    @Option(
            names = "--day-cap",
            paramLabel = "DOLLARS|none",
            description = "What all agents together may cost in a day (UTC), in US dollars")
    private @Nullable String dayCap;

    @Option(names = "--run", paramLabel = "ID", description = "The run whose limit --limit sets")
    private @Nullable String run;

    @Option(names = "--limit", paramLabel = "DOLLARS|none", description = "Cost limit of that run, in US dollars")
    private @Nullable String limit;

    BudgetCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected void check() {
        if ((run == null) != (limit == null)) {
            throw LaunchFailure.usersTurn("Name the run and its limit: --run ID --limit DOLLARS.");
        }
        if (run != null && (runLimit != null || dayCap != null)) {
            throw LaunchFailure.usersTurn("Change one run, or the organization's limits, not both at once.");
        }
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        if (run != null && limit != null) {
            var changed = Named.done(
                    "The run keeps its limit",
                    api.call(
                            "PATCH",
                            "/work/" + PlatformApi.encoded(run),
                            new JsonObject().put("limit", amount("--limit", limit))));
            print(
                    changed,
                    "This run may cost %s.".formatted(SpendingLimits.amount(changed.getValue("limit"), "any amount")));
            return 0;
        }
        var wanted = new JsonObject();
        if (runLimit != null) {
            wanted.put("run_limit", amount("--run-limit", runLimit));
        }
        if (dayCap != null) {
            wanted.put("day_cap", amount("--day-cap", dayCap));
        }
        var limits = wanted.isEmpty()
                ? Named.done("The limits are not known", api.call("GET", SpendingLimits.PATH))
                : Named.done("The limits stay as they are", api.call("PUT", SpendingLimits.PATH, wanted));
        print(limits, SpendingLimits.of(limits).sentence());
        return 0;
    }

    private void print(JsonObject answer, String sentence) {
        console.out(json ? answer.encode() : sentence);
    }

    /** Null for no limit. */
    private static @Nullable BigDecimal amount(String option, String said) {
        if (said.equals(NONE)) {
            return null;
        }
        try {
            return new BigDecimal(said.startsWith("$") ? said.substring(1) : said);
        } catch (NumberFormatException noAmount) {
            throw LaunchFailure.usersTurn(option + " is an amount in US dollars, such as 5 or 0.50, or none.");
        }
    }
}
