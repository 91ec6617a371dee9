package ai.molecule.cli.steer;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import ai.molecule.sdk.ByteOrderMark;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** House rules: what is said to agents at the beginning of every prompt. */
final class RuleCommands {

    private static final String LIST = "./molecule rule list";

    private RuleCommands() {}

    static CommandLine group(Console console, MoleculeHome home, InputStream in) {
        var spec = CommandSpec.create().name("rule").aliases("rules");
        spec.usageMessage()
                .description("Manage instructions: text added to the prompts of all agents, a team or one agent.");
        return new CommandLine(spec)
                .addSubcommand(new RuleListing(console, home))
                .addSubcommand(new RuleShowing(console, home))
                .addSubcommand(new RuleAddition(console, home, in))
                .addSubcommand(new RuleChange(console, home, in))
                .addSubcommand(new RuleRemoval(console, home));
    }

    /** A file's, or all of standard input. */
    private static String content(@Nullable Path file, InputStream in) throws IOException {
        String text = file == null
                ? new String(in.readNBytes(64 * 1024), StandardCharsets.UTF_8)
                : Files.readString(file, StandardCharsets.UTF_8);
        if (text.isBlank()) {
            throw LaunchFailure.usersTurn("Nothing was given, so nothing was changed.");
        }
        return ByteOrderMark.strip(text).strip();
    }

    @Command(name = "list", description = "List instructions, including disabled ones.")
    private static final class RuleListing extends PlatformCommand {

        @Option(names = "--agent", paramLabel = "NAME|ID", description = "Only instructions that apply to this agent")
        private @Nullable String agent;

        RuleListing(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var rules = api.list("/instructions" + (agent == null ? "" : "?workspace_id=" + Named.idOf(api, agent)));
            if (json) {
                console.out(rules.encode());
                return 0;
            }
            var rows = new Columns("ID", "FOR", "WHOM", "FIRST", "ON", "TITLE");
            for (Object each : rules) {
                var rule = (JsonObject) each;
                String whom = rule.getString("scope_target");
                rows.row(
                        rule.getString("id", ""),
                        rule.getString("scope", ""),
                        whom == null ? "-" : whom,
                        String.valueOf(rule.getInteger("priority", 0)),
                        rule.getBoolean("enabled", true) ? "yes" : "no",
                        rule.getString("title", ""));
            }
            rows.print(console);
            return 0;
        }
    }

    @Command(name = "show", description = "Show the instructions of an agent as it receives them.")
    private static final class RuleShowing extends PlatformCommand {

        @Parameters(paramLabel = "NAME|ID", description = "The agent")
        private String agent = "";

        RuleShowing(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var told = Named.done(
                    "What " + agent + " is told is not known",
                    api.call("GET", "/workspaces/" + Named.idOf(api, agent) + "/instructions/resolve"));
            if (json) {
                console.out(told.encode());
            } else {
                told.getString("instructions", "").lines().forEach(console::out);
            }
            return 0;
        }
    }

    @Command(
            name = "add",
            description =
                    "Add an instruction for all agents, a team or one agent; the text comes from a file or standard input.")
    private static final class RuleAddition extends PlatformCommand {

        @Parameters(paramLabel = "TITLE", description = "Title")
        private String title = "";

        @Option(names = "--agent", paramLabel = "NAME|ID", description = "Apply to this agent. Default: all agents")
        private @Nullable String agent;

        @Option(names = "--team", paramLabel = "NAME|ID", description = "Apply to this agent and all agents below it")
        private @Nullable String team;

        @Option(names = "--priority", paramLabel = "N", description = "Higher priorities come first. Default: 0")
        private int priority;

        @Option(names = "--file", paramLabel = "FILE", description = "File with the text. Default: standard input")
        private @Nullable Path file;

        private final InputStream in;

        RuleAddition(Console console, MoleculeHome home, InputStream in) {
            super(console, home);
            this.in = in;
        }

        @Override
        protected void check() {
            if (agent != null && team != null) {
                throw LaunchFailure.usersTurn("--agent is for one agent, --team for one and all below it.");
            }
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var wanted = new JsonObject()
                    .put("scope", team != null ? "team" : agent != null ? "workspace" : "global")
                    .put("title", title)
                    .put("priority", priority);
            String whom = team != null ? team : agent;
            if (whom != null) {
                wanted.put("scope_target", Named.idOf(api, whom));
            }
            wanted.put("content", content(file, in));
            var made = Named.done("The rule was not added", api.call("POST", "/instructions", wanted));
            return tell(made, "The rule holds from the next prompt on (%s).".formatted(made.getString("id", "")));
        }
    }

    @Command(name = "set", description = "Change, enable or disable an instruction.")
    private static final class RuleChange extends PlatformCommand {

        @Parameters(paramLabel = "RULE", description = "Title, or the first characters of the id")
        private String rule = "";

        @Option(names = "--title", paramLabel = "TITLE", description = "New title")
        private @Nullable String title;

        @Option(names = "--priority", paramLabel = "N", description = "New priority")
        private @Nullable Integer priority;

        @Option(names = "--file", paramLabel = "FILE", description = "File with the new text; - is standard input")
        private @Nullable Path file;

        @Option(names = "--on", description = "Enable the instruction.")
        private boolean on;

        @Option(names = "--off", description = "Disable the instruction and keep it.")
        private boolean off;

        private final InputStream in;

        RuleChange(Console console, MoleculeHome home, InputStream in) {
            super(console, home);
            this.in = in;
        }

        @Override
        protected void check() {
            if (on == off && title == null && priority == null && file == null) {
                throw LaunchFailure.usersTurn("Say what is to be another: --title, --priority, --file, --on or --off.");
            }
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            String id = Members.idOf(api.list("/instructions"), "title", rule, LIST);
            var wanted = new JsonObject();
            Named.putIfGiven(wanted, "title", title);
            Named.putIfGiven(wanted, "priority", priority);
            Named.putIfGiven(wanted, "enabled", on == off ? null : on);
            if (file != null) {
                wanted.put("content", content(file.toString().equals("-") ? null : file, in));
            }
            return tell(
                    Named.done("The rule stays as it is", api.call("PUT", "/instructions/" + id, wanted)),
                    "The rule is changed from the next prompt on.");
        }
    }

    @Command(name = "rm", description = "Delete an instruction.")
    private static final class RuleRemoval extends PlatformCommand {

        @Parameters(paramLabel = "RULE", description = "Title, or the first characters of the id")
        private String rule = "";

        RuleRemoval(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            String id = Members.idOf(api.list("/instructions"), "title", rule, LIST);
            return tell(
                    Named.done("The rule stays", api.call("DELETE", "/instructions/" + id)), "The rule is removed.");
        }
    }
}
