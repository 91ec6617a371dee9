package ai.molecule.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the launcher script lies and what it built. The script passes both as system properties.
 *
 * @param root folder of the script; {@code molecule.home}, else the working directory
 * @param runtimeJar what agents run; {@code molecule.runtime}
 */
public record MoleculeHome(Path root, Path runtimeJar) {

    public static MoleculeHome fromSystemProperties() {
        Path root = Path.of(System.getProperty("molecule.home", "."))
                .toAbsolutePath()
                .normalize();
        return new MoleculeHome(
                root,
                Path.of(System.getProperty(
                        "molecule.runtime",
                        root.resolve("workspace-runtime.jar").toString())));
    }

    /** Makes an image of the runtime. */
    public Path dockerfile() {
        return root.resolve("workspace-runtime/Dockerfile");
    }

    /** The folder the user asked for, else {@code .molecule} beside the script, wherever the user stands. */
    public Path dataFolder(@Nullable Path asked) {
        return (asked == null ? root.resolve(".molecule") : asked)
                .toAbsolutePath()
                .normalize();
    }
}
