package ai.molecule.cli.approvals;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.WholeFile;
import ai.molecule.cli.http.AnswerOptions;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import ai.molecule.cli.http.TimeSpan;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Who decides approvals, and who decided what; alone it explains itself. */
@Command(
        name = "approvals",
        description = "List, set and delete rules that say who decides approvals, and export decisions.")
public final class ApprovalsCommand implements Runnable {

    private static final String PATH = "/approvals/rules";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Console console;
    private final MoleculeHome home;

    public ApprovalsCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    /** Who decides. */
    static final class Whom {

        @Option(names = "--by", paramLabel = "LOGIN", split = ",", description = "People who decide")
        private List<String> people = List.of();

        @Option(names = "--role", paramLabel = "ROLE", description = "Role whose people decide: operator or owner")
        private @Nullable String role;

        @Option(
                names = "--approvals",
                paramLabel = "N",
                description = "How many different people have to approve, 1 or 2. Default: ${DEFAULT-VALUE}",
                defaultValue = "1")
        private int approvals;

        @Option(
                names = "--escalate-after",
                paramLabel = "SPAN",
                description = "After how long others may decide, too, such as 30m, 4h or 2d")
        private @Nullable String after;

        @Option(names = "--escalate-to", paramLabel = "LOGIN", split = ",", description = "People who may then")
        private List<String> laterPeople = List.of();

        @Option(names = "--escalate-role", paramLabel = "ROLE", description = "Role whose people may then")
        private @Nullable String laterRole;

        private JsonObject toJson() {
            var wanted = new JsonObject().put("deciders", named(people, role)).put("approvals", approvals);
            boolean later = !laterPeople.isEmpty() || laterRole != null;
            if (later != (after != null)) {
                throw LaunchFailure.usersTurn(
                        "An escalation needs --escalate-after, and --escalate-to or --escalate-role.");
            }
            if (after != null) {
                long minutes = TimeSpan.of("--escalate-after", after).toMinutes();
                wanted.put("escalation", named(laterPeople, laterRole).put("after_minutes", minutes));
            }
            return wanted;
        }

        private static JsonObject named(List<String> people, @Nullable String role) {
            var who = new JsonObject().put("people", new JsonArray(new ArrayList<>(people)));
            Named.putIfGiven(who, "role", role);
            return who;
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }

    @Command(name = "rules", description = "List the rules, in the order in which they are asked.")
    int rules(@Mixin AnswerOptions answers) {
        return answers.ask(
                home,
                api -> answers.list(
                        console,
                        Named.done("The rules are not known", api.call("GET", PATH)),
                        "rules",
                        "There is no rule: every operator of an agent decides what it asks.",
                        new Columns("RULE", "TEAM", "DECIDED BY", "WHEN"),
                        ApprovalsCommand::row));
    }

    @Command(name = "set", description = "Create or change a rule that says who decides approvals.")
    int set(
            @Mixin AnswerOptions answers,
            @Mixin Whom whom,
            @Parameters(index = "0", paramLabel = "RULE", description = "Its name: small letters, digits and -")
                    String name,
            @Parameters(
                            index = "1",
                            paramLabel = "EXPRESSION",
                            description =
                                    "CEL over tool, arguments, action, reason, context and caller: .id .name .role .runtime .tenant .tier")
                    String expression,
            @Option(names = "--team", paramLabel = "NAME|ID", description = "Only for this agent and all below it")
                    @Nullable
                    String team,
            @Option(
                            names = "--priority",
                            paramLabel = "N",
                            description =
                                    "Of several rules that apply the one with the highest counts. Default: ${DEFAULT-VALUE}",
                            defaultValue = "0")
                    int priority) {
        var wanted = whom.toJson().put("when", expression).put("priority", priority);
        return answers.ask(home, api -> {
            if (team != null) {
                wanted.put("team", Named.idOf(api, team));
            }
            var rule = Named.done(name + " is not set", api.call("PUT", pathOf(name), wanted));
            return answers.tell(console, rule, name + " holds for what is asked from now on.");
        });
    }

    @Command(name = "rm", description = "Delete a rule.")
    int remove(@Mixin AnswerOptions answers, @Parameters(paramLabel = "RULE") String name) {
        return answers.ask(
                home,
                api -> answers.tell(
                        console,
                        Named.done(name + " stays", api.call("DELETE", pathOf(name))),
                        name + " is gone; what was asked under it is still decided by it."));
    }

    @Command(
            name = "export",
            description = "Export who decided what, by which digest, shown where, when: a line for each decision.",
            footer = {"", "In CSV a cell that a spreadsheet would take for a formula begins with an apostrophe."})
    int export(
            @Mixin PlatformOptions platform,
            @Option(
                            names = "--format",
                            paramLabel = "FORMAT",
                            description = "csv or jsonl. Default: ${DEFAULT-VALUE}",
                            defaultValue = "csv")
                    String format,
            @Option(
                            names = "--from",
                            paramLabel = "TIME",
                            description =
                                    "What was asked from then on: a day, such as 2026-11-01 (UTC), or a time. Default: 90 days before --to")
                    @Nullable
                    String from,
            @Option(
                            names = "--to",
                            paramLabel = "TIME",
                            description = "What was asked before then, at most 366 days later. Default: now")
                    @Nullable
                    String to,
            @Parameters(
                            arity = "0..1",
                            paramLabel = "FILE",
                            description = "Such as approvals.csv. Default: standard output")
                    @Nullable
                    Path file) {
        String path = "/approvals/export?format=" + PlatformApi.encoded(format) + time("from", from) + time("to", to);
        return platform.ask(home, System.getenv(), api -> {
            try (var content = api.download(path, "Nothing was exported")) {
                if (file == null) {
                    print(content);
                } else {
                    console.say("%d bytes are in %s.".formatted(WholeFile.save(content, file), file));
                }
                return 0;
            }
        });
    }

    /** Line by line, because it may be a terminal that reads what agents said. */
    private void print(InputStream content) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(content, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null && !console.isUnheard(); line = lines.readLine()) {
            console.out(line);
        }
    }

    private static String pathOf(String name) {
        return PATH + "/" + PlatformApi.segment(name);
    }

    private static String time(String member, @Nullable String said) {
        if (said == null) {
            return "";
        }
        try {
            var time = said.contains("T")
                    ? OffsetDateTime.parse(said)
                    : LocalDate.parse(said).atStartOfDay().atOffset(ZoneOffset.UTC);
            return "&%s=%s".formatted(member, PlatformApi.encoded(time.toString()));
        } catch (DateTimeException malformed) {
            throw LaunchFailure.usersTurn(
                    "--%s %s is no day or time; try 2026-11-01 or 2026-11-01T12:00:00Z.".formatted(member, said));
        }
    }

    private static List<String> row(JsonObject rule) {
        String team = rule.getString("team_name");
        return List.of(
                rule.getString("name", ""),
                team == null ? "the organization" : team,
                decidedBy(rule),
                rule.getString("when", ""));
    }

    private static String decidedBy(JsonObject rule) {
        String who = words(rule.getJsonObject("deciders", new JsonObject()));
        String all = rule.getInteger("approvals", 1) > 1 ? "two of " + who : who;
        return rule.getValue("escalation") instanceof JsonObject later
                ? "%s; after %d min also %s".formatted(all, later.getInteger("after_minutes", 0), words(later))
                : all;
    }

    private static String words(JsonObject who) {
        var named = new ArrayList<String>();
        who.getJsonArray("people", new JsonArray()).forEach(login -> named.add(login.toString()));
        if (who.getValue("role") instanceof String role) {
            named.add("every " + role);
        }
        return String.join(", ", named);
    }
}
