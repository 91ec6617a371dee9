package ai.molecule.cli.data;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The data folders that this launcher has started platforms in, a file each beside the usual one, so that a command without {@code --data}
 * finds the platform that runs. Only a hint: whether one runs says its lock. Where the file cannot be written, {@code --data} is needed.
 */
public final class RunningPlatforms {

    /** More are not looked at. */
    private static final int LISTED_MAX = 100;

    private RunningPlatforms() {}

    /** Remembers a data folder in which a platform is being started. */
    public static void remember(MoleculeHome home, DataFolder data) {
        String name = UUID.nameUUIDFromBytes(data.root().toString().getBytes(StandardCharsets.UTF_8)) + ".txt";
        try {
            Path list = list(home);
            PrivateFiles.createFolder(list);
            Files.writeString(list.resolve(name), data.root().toString());
        } catch (IOException e) {
            // a hint: without it commands ask for --data
        }
    }

    /**
     * The folder that a command is meant for: the one it names, else {@code MOLECULE_DATA}, else the usual one if a platform runs there, else
     * that of the only platform that runs, else the usual one.
     *
     * @throws LaunchFailure when several run and none in the usual folder
     */
    public static DataFolder meant(MoleculeHome home, @Nullable Path asked) {
        var usual = DataFolder.at(home.dataFolder(asked));
        if (home.isNamed(asked) || isRunning(usual)) {
            return usual;
        }
        var running = all(home).stream().filter(RunningPlatforms::isRunning).toList();
        return switch (running.size()) {
            case 0 -> usual;
            case 1 -> running.getFirst();
            default ->
                throw LaunchFailure.usersTurn("Several platforms run; name one of them: "
                        + running.stream().map(each -> "--data " + each.root()).collect(Collectors.joining(", "))
                        + ".");
        };
    }

    private static List<DataFolder> all(MoleculeHome home) {
        try (Stream<Path> files = Files.list(list(home))) {
            return files.limit(LISTED_MAX).flatMap(RunningPlatforms::read).toList();
        } catch (IOException none) {
            return List.of();
        }
    }

    /** One that runs no more is forgotten. */
    private static Stream<DataFolder> read(Path file) {
        try {
            var data = DataFolder.at(Path.of(Files.readString(file)));
            if (isRunning(data)) {
                return Stream.of(data);
            }
            Files.deleteIfExists(file);
        } catch (IOException | InvalidPathException unreadable) {
            // not ours, or of another user
        }
        return Stream.empty();
    }

    private static boolean isRunning(DataFolder data) {
        try {
            // between two JVMs of a platform that its launcher starts again nobody holds the lock
            return FolderLock.isHeld(data.lock()) || data.launcher().living().isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    private static Path list(MoleculeHome home) {
        return home.data().resolveSibling(home.data().getFileName() + "-running");
    }
}
