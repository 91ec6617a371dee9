package ai.molecule.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the launcher script lies, what it built and where it keeps data. The script passes all of it as system properties.
 *
 * @param root folder of the script, of a release that above it; {@code molecule.home}, else the working directory
 * @param runtimeJar what agents run; {@code molecule.runtime}
 * @param data the data folder of whoever names none; {@code molecule.data}, which a release sets, else {@code .molecule} in the root
 */
public record MoleculeHome(Path root, Path runtimeJar, Path data) {

    /** What {@code --help} says of it. */
    public static final String DATA_DEFAULT =
            "Data folder. Default: MOLECULE_DATA, else .molecule beside the launcher, of a release ~/.local/share/molecule";

    /** Names the data folder of commands that are given none. */
    public static final String DATA_VARIABLE = "MOLECULE_DATA";

    /** One that keeps its data beside the script. */
    public MoleculeHome(Path root, Path runtimeJar) {
        this(root, runtimeJar, root.resolve(".molecule"));
    }

    public static MoleculeHome fromSystemProperties() {
        Path root = Path.of(System.getProperty("molecule.home", "."))
                .toAbsolutePath()
                .normalize();
        return new MoleculeHome(
                root,
                Path.of(System.getProperty(
                        "molecule.runtime",
                        root.resolve("workspace-runtime.jar").toString())),
                Path.of(System.getProperty(
                        "molecule.data", root.resolve(".molecule").toString())));
    }

    /** Makes an image of the runtime. */
    public Path dockerfile() {
        return root.resolve("workspace-runtime/Dockerfile");
    }

    /** The folder the user asked for, else {@code MOLECULE_DATA}, else the usual one, wherever the user stands. */
    public Path dataFolder(@Nullable Path asked) {
        String named = System.getenv().getOrDefault(DATA_VARIABLE, "");
        Path folder = asked != null ? asked : named.isBlank() ? data : Path.of(named);
        return folder.toAbsolutePath().normalize();
    }

    /** Whether the user said which data folder is meant. */
    public boolean isNamed(@Nullable Path asked) {
        return asked != null || !System.getenv().getOrDefault(DATA_VARIABLE, "").isBlank();
    }
}
