package ai.molecule.cli;

import java.nio.file.Path;
import picocli.CommandLine;

/** The command as a whole, for tests of other packages. */
public final class EveryCommand {

    private EveryCommand() {}

    public static CommandLine of(Console console, Path home) {
        return MoleculeCommand.commandLine(console, new MoleculeHome(home, home.resolve("runtime.jar")));
    }
}
