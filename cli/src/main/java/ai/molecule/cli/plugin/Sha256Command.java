package ai.molecule.cli.plugin;

import ai.molecule.cli.Console;
import ai.molecule.sdk.plugins.PluginSha256;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints the checksum that belongs into a plugin's {@code plugin.yaml}. */
@Command(
        name = "sha256",
        description = "Print the checksum of the files of a plugin, as plugin.yaml names it.",
        footer = {"", "Exit codes: 0 done, 1 the folder cannot be read."})
public final class Sha256Command implements Callable<Integer> {

    @Parameters(index = "0", paramLabel = "DIR", description = "The plugin's folder")
    private Path folder = Path.of(".");

    private final Console console;

    public Sha256Command(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (!Files.isDirectory(folder)) {
            console.say("error: " + folder + " is not a directory");
            return 1;
        }
        try {
            console.out("Computed SHA256: " + PluginSha256.of(folder));
            return 0;
        } catch (UncheckedIOException e) {
            console.say("error: " + e.getMessage());
            return 1;
        }
    }
}
