package ai.molecule.cli.adapter;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Printable;
import ai.molecule.cli.Shell;
import ai.molecule.common.workspaces.RuntimeNames;
import ai.molecule.provisioner.backend.Adapters;
import ai.molecule.runtime.AdapterCheck;
import ai.molecule.runtime.LocalAgent;
import ai.molecule.runtime.PreflightFailure;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Kinds of agents of one's own: a beginning, and a trial. */
@Command(
        name = "adapter",
        description = "Create and check adapters for your own kind of agent (docs/adapters.md).",
        footer = {"", "Exit codes: 0 done, 1 a rule is not kept, 2 something for you to change."})
public final class AdapterCommand implements Runnable {

    private static final List<String> TEMPLATE = List.of("README.md", "agent.py", "config.yaml", "system-prompt.md");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Console console;
    private final Map<String, String> environment;

    public AdapterCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }

    @Command(name = "new", description = "Create an adapter project in a folder.")
    int begin(
            @Parameters(paramLabel = "FOLDER", description = "Made where there is none; nothing in it is replaced.")
                    Path folder) {
        try {
            Files.createDirectories(folder);
            for (String name : TEMPLATE) {
                if (Files.exists(folder.resolve(name))) {
                    throw LaunchFailure.usersTurn(folder.resolve(name) + " is there already.");
                }
            }
            for (String name : TEMPLATE) {
                copy(name, folder.resolve(name));
            }
        } catch (IOException e) {
            throw LaunchFailure.usersTurn(folder + " cannot be written: " + e.getMessage());
        }
        console.out("./molecule adapter check " + Shell.quoted(folder.toString()));
        return 0;
    }

    @Command(
            name = "check",
            description =
                    "Start the agent of a folder without a platform and check that it follows the adapter contract.")
    int check(@Parameters(paramLabel = "FOLDER", description = "Where its config.yaml is.") Path folder) {
        try {
            boolean kept = true;
            for (var finding :
                    AdapterCheck.of(folder, LocalAgent.workBeside(folder), environment, AdapterCommand::adapterOf)) {
                kept &= finding.isKept();
                console.out((finding.isKept() ? "✓ " : "✗ ")
                        + finding.rule()
                        + (finding.isKept() ? "" : ": " + Printable.line(finding.problem())));
            }
            return kept ? 0 : 1;
        } catch (PreflightFailure wrong) {
            throw LaunchFailure.usersTurn(wrong.report());
        }
    }

    /** As the platform would; a name that nobody knows stays, and is refused in words. */
    public static String adapterOf(String runtime) {
        return RuntimeNames.KNOWN.contains(runtime) ? Adapters.of(runtime) : runtime;
    }

    private static void copy(String name, Path to) throws IOException {
        try (var in = AdapterCommand.class.getResourceAsStream("template/" + name)) {
            if (in == null) {
                throw new FileNotFoundException(name);
            }
            Files.copy(in, to);
        }
        if (name.endsWith(".py")) {
            Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }
}
