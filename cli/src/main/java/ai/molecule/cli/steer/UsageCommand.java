package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.Agent;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What models cost. */
@Command(name = "usage", description = "Show calls, tokens and cost of models.")
final class UsageCommand extends PlatformCommand {

    private static final String ROW = "%-36s %8s %12s %12s %12s %12s";
    private static final double MICROS = 1e6;
    private static final long CENT = 10_000;

    @Option(
            names = "--by",
            paramLabel = "agent|team|tenant|model|delegation|principal|day",
            description = "Group by. Default: agent. Principal: the person a run was started for")
    private String by = "agent";

    @Option(
            names = "--from",
            paramLabel = "DAY",
            description = "First day in UTC, such as 2026-01-31. Default: set by the platform")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "DAY", description = "Last day in UTC.")
    private @Nullable String to;

    UsageCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String path = "/usage?by=" + PlatformApi.encoded(by)
                + (from == null ? "" : "&from=" + PlatformApi.encoded(from))
                + (to == null ? "" : "&to=" + PlatformApi.encoded(to));
        var usage = Named.done("The platform does not say what was used", api.call("GET", path));
        if (json) {
            console.out(usage.encode());
            return 0;
        }
        var names = by.equals("agent") || by.equals("team")
                ? api.agents().stream().collect(Collectors.toMap(Agent::id, Agent::name))
                : Map.<String, String>of();
        console.out(ROW.formatted(by.toUpperCase(Locale.ROOT), "CALLS", "TOKENS IN", "CACHED", "TOKENS OUT", "COST"));
        for (Object each : usage.getJsonArray("rows", new JsonArray())) {
            var row = (JsonObject) each;
            String key = Printable.line(Objects.requireNonNullElse(row.getString("key"), "-"));
            console.out(ROW.formatted(
                    names.getOrDefault(key, key),
                    row.getLong("calls", 0L),
                    row.getLong("tokens_in", 0L) + row.getLong("cache_write", 0L),
                    row.getLong("cache_read", 0L),
                    row.getLong("tokens_out", 0L),
                    cost(row)));
        }
        if (usage.getBoolean("truncated", false)) {
            console.say("There are more rows; ask for fewer days.");
        }
        return 0;
    }

    /** What is not known is never nothing. */
    private static String cost(JsonObject row) {
        Long micros = row.getLong("cost_micros");
        if (!row.getBoolean("metered", true)) {
            return micros == null ? "not metered" : dollars(micros) + " + not metered";
        }
        String known = micros == null ? "unknown" : dollars(micros);
        return micros != null && row.getLong("unpriced_calls", 0L) > 0 ? known + " + ?" : known;
    }

    /** What is less than a cent is not shown as nothing. */
    private static String dollars(long micros) {
        return String.format(Locale.ROOT, micros > 0 && micros < CENT ? "$%.4f" : "$%.2f", micros / MICROS);
    }
}
