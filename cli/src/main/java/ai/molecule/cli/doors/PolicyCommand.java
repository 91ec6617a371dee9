package ai.molecule.cli.doors;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.AnswerOptions;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.TimeSpan;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The rules that are added to the org chart's; alone it explains itself. */
@Command(
        name = "policy",
        description = "List, set, delete and test policies: rules that deny messages the org chart allows.")
public final class PolicyCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Console console;
    private final MoleculeHome home;

    public PolicyCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    /** Whose rules are meant, and how it is told of them. */
    static final class Whose {

        @Mixin
        @SuppressWarnings("NullAway.Init")
        private AnswerOptions answers;

        @Option(
                names = "--branch",
                paramLabel = "NAME|ID",
                description = "Of this agent with all below it; of the organisation where none is named")
        private @Nullable String branch;

        private String path(PlatformApi api) throws IOException {
            return branch == null ? "/policy" : "/workspaces/" + Named.idOf(api, branch) + "/policy";
        }

        private String path(PlatformApi api, String name) throws IOException {
            return path(api) + "/" + PlatformApi.segment(name);
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }

    @Command(name = "list", description = "List all policies, or those that apply to --branch.")
    int list(@Mixin Whose whose) {
        return whose.answers.ask(
                home,
                api -> whose.answers.list(
                        console,
                        Named.done("The rules are not known", api.call("GET", whose.path(api))),
                        "rules",
                        "There is no rule but the org chart's.",
                        new Columns("RULE", "OF", "MODE", "REFUSES WHEN"),
                        PolicyCommand::row));
    }

    @Command(name = "set", description = "Create or change a policy. It only observes until you set --enforce.")
    int set(
            @Mixin Whose whose,
            @Parameters(index = "0", paramLabel = "RULE", description = "Its name: small letters, digits and -")
                    String name,
            @Parameters(
                            index = "1",
                            paramLabel = "EXPRESSION",
                            description =
                                    "CEL over method, tool, caller and target: .id .name .role .runtime .tenant .tier .spend, caller.kind")
                    String expression,
            @Option(names = "--says", paramLabel = "TEXT", description = "Why, for whoever is refused") @Nullable
                    String says,
            @Option(names = "--enforce", description = "Refuse, and not only write down what would be refused")
                    boolean enforce) {
        return whose.answers.ask(home, api -> {
            var wanted = new JsonObject().put("refuse_when", expression).put("mode", enforce ? "enforce" : "observe");
            Named.putIfGiven(wanted, "says", says);
            var rule = Named.done("There is no such rule", api.call("PUT", whose.path(api, name), wanted));
            return whose.answers.tell(
                    console,
                    rule,
                    enforce
                            ? name + " refuses from now on."
                            : name + " is observed: what it would refuse is written down, and nothing refused.");
        });
    }

    @Command(name = "rm", description = "Delete a policy.")
    int remove(@Mixin Whose whose, @Parameters(paramLabel = "RULE") String name) {
        return whose.answers.ask(
                home,
                api -> whose.answers.tell(
                        console,
                        Named.done(name + " stays", api.call("DELETE", whose.path(api, name))),
                        name + " is gone."));
    }

    @Command(
            name = "test",
            description = "Show what the policies, or a new one, would have denied among past messages.")
    int test(
            @Mixin Whose whose,
            @Option(
                            names = "--since",
                            paramLabel = "SPAN",
                            description = "How far back, such as 90s, 30m, 24h or 7d",
                            defaultValue = "7d")
                    String since,
            @Option(
                            names = "--refuse-when",
                            paramLabel = "EXPRESSION",
                            description = "This, in place of the rules there are")
                    @Nullable
                    String expression) {
        var question =
                new JsonObject().put("since_secs", TimeSpan.of("--since", since).toSeconds());
        Named.putIfGiven(question, "refuse_when", expression);
        return whose.answers.ask(home, api -> {
            var trial = Named.done("Nothing was tried", api.call("POST", whose.path(api) + "/test", question));
            var rules = trial.getJsonArray("rules", new JsonArray());
            if (whose.answers.isJson() || rules.isEmpty()) {
                return whose.answers.tell(
                        console, trial, "There is no rule to try; --refuse-when tries one that there is not yet.");
            }
            rules.forEach(each -> tell((JsonObject) each, trial.getLong("calls", 0L)));
            tellRest(trial);
            return 0;
        });
    }

    private void tell(JsonObject rule, long calls) {
        console.out("%s would have refused %d of %d calls: %s"
                .formatted(
                        Printable.line(rule.getString("name", "")),
                        rule.getLong("would_refuse", 0L),
                        calls,
                        Printable.line(rule.getString("refuse_when", ""))));
        for (Object each : rule.getJsonArray("latest", new JsonArray())) {
            var alike = (JsonObject) each;
            console.out("  %s → %s, %s, %d times, last %s"
                    .formatted(
                            alike.getString("caller") == null
                                    ? "a person"
                                    : Printable.line(alike.getString("caller_name", "")),
                            Printable.line(alike.getString("target_name", "")),
                            Printable.line(alike.getString("method", "")),
                            alike.getLong("times", 0L),
                            Printable.line(alike.getString("last_at", ""))));
        }
    }

    private void tellRest(JsonObject trial) {
        long unknown = trial.getLong("unknown", 0L);
        if (unknown > 0) {
            console.say("%d more were of agents that are gone.".formatted(unknown));
        }
        if (trial.getBoolean("more", false)) {
            console.say("There were more, older ones, which were not tried; a shorter --since has fewer.");
        }
    }

    private static List<String> row(JsonObject rule) {
        String of = rule.getString("branch_name");
        return List.of(
                rule.getString("name", ""),
                of == null ? "the organisation" : of,
                rule.getString("mode", ""),
                rule.getString("refuse_when", ""));
    }
}
