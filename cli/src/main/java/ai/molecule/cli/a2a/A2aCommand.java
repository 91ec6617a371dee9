package ai.molecule.cli.a2a;

import ai.molecule.cli.Console;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups what a workspace can do with its peers; alone it explains itself. */
@Command(
        name = "a2a",
        description = "Send A2A messages to the peers of a workspace.",
        footer = {
            "",
            "Speaks for WORKSPACE_ID on PLATFORM_URL, with the token in MOLECULE_WORKSPACE_TOKEN, CONFIGS_DIR or",
            "~/.molecule/ID; or for one of MOLECULE_WORKSPACES.",
            "",
            "Exit codes: 0 done; 1 the platform or the peer failed; 2 the arguments or the environment are wrong."
        })
public final class A2aCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private A2aCommand() {}

    /** The command with its subcommands. */
    public static CommandLine with(Console console, Map<String, String> environment) {
        return new CommandLine(new A2aCommand())
                .addSubcommand(new PeersCommand(console, environment))
                .addSubcommand(new DelegateCommand(console, environment))
                .addSubcommand(new StatusCommand(console, environment))
                .addSubcommand(new InfoCommand(console, environment));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }
}
