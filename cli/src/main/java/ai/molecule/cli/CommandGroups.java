package ai.molecule.cli;

import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Under which headings {@code molecule --help} lists the commands, and in which order. */
record CommandGroups(String heading, List<String> commands) {

    static final List<CommandGroups> ALL = List.of(
            new CommandGroups(
                    "Platform", List.of("up", "down", "ps", "top", "logs", "share", "doctor", "backup", "restore")),
            new CommandGroups(
                    "Runs",
                    List.of("say", "delegate", "inbox", "approve", "deny", "events", "usage", "budget", "price")),
            new CommandGroups(
                    "Agents",
                    List.of(
                            "create",
                            "rm",
                            "pause",
                            "resume",
                            "restart",
                            "hibernate",
                            "wake",
                            "idle",
                            "move",
                            "model",
                            "alias",
                            "open")),
            new CommandGroups("Settings of agents", List.of("secret", "token", "config", "files", "rule")),
            new CommandGroups("Organization", List.of("org", "import", "export", "replay")),
            new CommandGroups("Notifications and webhooks", List.of("target", "webhook")),
            new CommandGroups(
                    "Access",
                    List.of("people", "invite", "admit", "quarantine", "keys", "audit", "policy", "approvals")),
            new CommandGroups("Develop", List.of("dev", "connect", "mcp", "a2a", "adapter", "plugin")),
            new CommandGroups("Profiles and shell", List.of("login", "logout", "whoami", "profile", "completion")));

    private static final int NAME = 14;

    static void shownBy(CommandLine command) {
        command.getHelpSectionMap().remove(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING);
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroups::list);
    }

    private static String list(Help help) {
        int width = help.commandSpec().usageMessage().width();
        var text = new StringBuilder();
        for (var group : ALL) {
            text.append("%n%s%n".formatted(group.heading()));
            var table = TextTable.forColumns(
                    help.colorScheme(),
                    new Column(NAME, 2, Column.Overflow.SPAN),
                    new Column(width - NAME, 1, Column.Overflow.WRAP));
            for (String name : group.commands()) {
                var described = Objects.requireNonNull(
                                help.commandSpec().subcommands().get(name))
                        .getCommandSpec()
                        .usageMessage()
                        .description();
                table.addRowValues(
                        help.colorScheme().commandText(name), help.colorScheme().text(String.join(" ", described)));
            }
            text.append(table);
        }
        return text.toString();
    }
}
