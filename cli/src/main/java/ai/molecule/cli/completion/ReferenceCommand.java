package ai.molecule.cli.completion;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes what is kept of this command: {@code ./molecule reference docs/man}, whenever a command or an option changes. */
@Command(name = "reference", hidden = true, description = "Writes help.txt and molecule.1 anew.")
public final class ReferenceCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "DIR")
    private Path folder = Path.of("");

    @Override
    public Integer call() throws IOException {
        var root = spec.root().commandLine();
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("help.txt"), KeptHelp.of(root));
        Files.writeString(folder.resolve("molecule.1"), ManPage.of(root));
        return 0;
    }
}
