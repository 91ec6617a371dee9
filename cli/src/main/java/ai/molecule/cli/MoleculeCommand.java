package ai.molecule.cli;

import ai.molecule.cli.a2a.A2aCommand;
import ai.molecule.cli.adapter.AdapterCommand;
import ai.molecule.cli.approvals.ApprovalsCommand;
import ai.molecule.cli.backup.BackupCommand;
import ai.molecule.cli.backup.RestoreCommand;
import ai.molecule.cli.completion.CompletionCommand;
import ai.molecule.cli.completion.ReferenceCommand;
import ai.molecule.cli.connect.ConnectCommand;
import ai.molecule.cli.dev.DevCommand;
import ai.molecule.cli.doors.AdmitCommand;
import ai.molecule.cli.doors.AuditCommand;
import ai.molecule.cli.doors.DoctorCommand;
import ai.molecule.cli.doors.InviteCommand;
import ai.molecule.cli.doors.KeysCommand;
import ai.molecule.cli.doors.PeopleCommand;
import ai.molecule.cli.doors.PolicyCommand;
import ai.molecule.cli.doors.QuarantineCommand;
import ai.molecule.cli.down.DownCommand;
import ai.molecule.cli.logs.LogsCommand;
import ai.molecule.cli.mcp.McpCommand;
import ai.molecule.cli.org.ImportAgentsCommand;
import ai.molecule.cli.org.ImportCommand;
import ai.molecule.cli.org.OrgCommand;
import ai.molecule.cli.plugin.PluginCommand;
import ai.molecule.cli.plugin.Sha256Command;
import ai.molecule.cli.plugin.ValidateCommand;
import ai.molecule.cli.profile.LoginCommand;
import ai.molecule.cli.profile.LogoutCommand;
import ai.molecule.cli.profile.ProfileCommand;
import ai.molecule.cli.profile.WhoamiCommand;
import ai.molecule.cli.ps.PsCommand;
import ai.molecule.cli.replay.ReplayCommand;
import ai.molecule.cli.share.ShareCommand;
import ai.molecule.cli.steer.SteeringCommands;
import ai.molecule.cli.top.TopCommand;
import ai.molecule.cli.up.RehearseCommand;
import ai.molecule.cli.up.UpCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code molecule} command: its subcommands and what they have in common, which is how they fail. */
@Command(
        name = "molecule",
        mixinStandardHelpOptions = true,
        scope = CommandLine.ScopeType.INHERIT,
        version = "molecule " + MoleculeCommand.VERSION,
        description = "Run and steer organizations of AI agents.",
        footer = {"", "Exit codes: 0 done, 1 the platform failed, 2 something for you to change."})
public final class MoleculeCommand {

    /** That of the root {@code pom.xml}; LauncherScriptTest holds it. */
    public static final String VERSION = "0.1.0-SNAPSHOT";

    private MoleculeCommand() {}

    public static void main(String[] args) {
        // Said by name, because several of the parts on the class path bring a configuration; a command may name
        // another.
        System.getProperties().putIfAbsent("logback.configurationFile", "ai/molecule/cli/logback-commands.xml");
        var console = Console.standard();
        System.exit(execute(commandLine(console, MoleculeHome.fromSystemProperties()), console, args));
    }

    /** Its exit code, also where the JVM itself gave out: what the command had begun would keep it running without a word. */
    static int execute(CommandLine command, Console console, String... args) {
        try {
            return command.execute(args);
        } catch (Error failure) {
            console.say("Something unexpected went wrong: " + failure);
            return 1;
        }
    }

    /** The command as a whole; tests execute it in their own process. */
    static CommandLine commandLine(Console console, MoleculeHome home) {
        var out = new PrintWriter(console.outStream(), true, StandardCharsets.UTF_8);
        var err = new PrintWriter(console.errStream(), true, StandardCharsets.UTF_8);
        var command = new CommandLine(new MoleculeCommand())
                .addSubcommand(new UpCommand(console, home))
                .addSubcommand(new RehearseCommand(console, home))
                .addSubcommand(new PsCommand(console, home))
                .addSubcommand(new TopCommand(home, System.getenv()))
                .addSubcommand(new LogsCommand(console, home))
                .addSubcommand(new ShareCommand(console, home, System.getenv()))
                .addSubcommand(new DownCommand(console, home))
                .addSubcommand(new BackupCommand(console, home, System.getenv()))
                .addSubcommand(new RestoreCommand(console, home, System.getenv()))
                .addSubcommand(new ReplayCommand(console, home))
                .addSubcommand(new ConnectCommand(console, System.getenv()))
                .addSubcommand(new CommandLine(new OrgCommand()).addSubcommand(new ImportCommand(console, home)))
                .addSubcommand(new InviteCommand(console, home))
                .addSubcommand(new AdmitCommand(console, home))
                .addSubcommand(new QuarantineCommand(console, home))
                .addSubcommand(new PeopleCommand(console, home))
                .addSubcommand(new LoginCommand(console, home))
                .addSubcommand(new LogoutCommand(console, home))
                .addSubcommand(new WhoamiCommand(console, home))
                .addSubcommand(new AuditCommand(console, home))
                .addSubcommand(new PolicyCommand(console, home))
                .addSubcommand(new ApprovalsCommand(console, home))
                .addSubcommand(new KeysCommand(console, home))
                .addSubcommand(new DoctorCommand(console, home))
                .addSubcommand(new CompletionCommand(console))
                .addSubcommand(new ReferenceCommand())
                .addSubcommand(new ProfileCommand(console, System.getenv(), System.in))
                .addSubcommand(A2aCommand.with(console, System.getenv()))
                .addSubcommand(new McpCommand(console, System.getenv(), System.in, console.outStream()))
                .addSubcommand(new ImportAgentsCommand(console, home))
                .addSubcommand(new DevCommand(System.getenv(), System.in, console.outStream()))
                .addSubcommand(new AdapterCommand(console, System.getenv()))
                .addSubcommand(new CommandLine(new PluginCommand())
                        .addSubcommand(new ValidateCommand(console))
                        .addSubcommand(new Sha256Command(console)));
        SteeringCommands.all(console, home, System.in)
                .forEach(each -> command.addSubcommand(each.getCommandName(), each));
        CommandGroups.shownBy(command);
        console.commands(options(command, ""));
        return command.setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(out)
                .setErr(err)
                .setParameterExceptionHandler(new Misunderstanding(console))
                .setExecutionExceptionHandler((failure, failed, parsed) -> report(failure, console));
    }

    private static Map<String, Set<String>> options(CommandLine command, String before) {
        Map<String, Set<String>> options = new HashMap<>();
        command.getSubcommands().forEach((name, each) -> {
            options.put(before + name, each.getCommandSpec().optionsMap().keySet());
            options.putAll(options(each, before + name + " "));
        });
        return options;
    }

    private static int report(Exception failure, Console console) {
        if (failure instanceof LaunchFailure known) {
            console.say(known.sentence());
            return known.exitCode();
        }
        console.say("Something unexpected went wrong: " + failure);
        return 1;
    }
}
