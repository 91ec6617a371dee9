package ai.molecule.cli.org;

import ai.molecule.cli.LaunchFailure;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The texts of an organisation's folder, by path, as {@code POST /org/import} takes them. */
final class OrgFiles {

    static final String ORG = "org.yaml";

    private static final Set<String> NAMES = Set.of(ORG, "org.yml");
    private static final Set<String> LEFT_OUT = Set.of(".git", ".idea", ".vscode", "node_modules", ".DS_Store");
    private static final int FILES_MAX = 500;
    private static final long BYTES_MAX = 6L * 1024 * 1024;
    private static final int DEPTH_MAX = 16;

    private OrgFiles() {}

    /**
     * A folder with an org.yaml, that file in its folder, or any other file alone.
     *
     * @throws LaunchFailure that says what is wrong with it
     */
    static JsonObject read(Path path) {
        try {
            if (Files.isDirectory(path)) {
                return folder(
                        path,
                        NAMES.stream()
                                .map(path::resolve)
                                .filter(Files::isRegularFile)
                                .findFirst()
                                .orElseThrow(() -> LaunchFailure.usersTurn("There is no org.yaml in " + path + ".")));
            }
            Path parent = path.toAbsolutePath().getParent();
            return NAMES.contains(path.getFileName().toString()) && parent != null
                    ? folder(parent, path.toAbsolutePath())
                    : new JsonObject().put(ORG, Files.readString(path));
        } catch (MalformedInputException | NotDirectoryException notText) {
            throw LaunchFailure.usersTurn(path + " is not a text.");
        } catch (IOException | UncheckedIOException unreadable) {
            throw LaunchFailure.usersTurn("Cannot read " + path + ": " + unreadable.getMessage());
        }
    }

    private static JsonObject folder(Path folder, Path org) throws IOException {
        var files = new JsonObject();
        long bytes = 0;
        for (Path file : filesOf(folder)) {
            bytes += Files.size(file);
            if (bytes > BYTES_MAX || files.size() >= FILES_MAX) {
                throw LaunchFailure.usersTurn(
                        "%s holds more than %d files or %d MiB; move what does not belong to the organisation elsewhere."
                                .formatted(folder, FILES_MAX, BYTES_MAX / (1024 * 1024)));
            }
            String name = file.equals(org) ? ORG : folder.relativize(file).toString();
            try {
                files.put(name, Files.readString(file));
            } catch (CharacterCodingException binary) {
                throw LaunchFailure.usersTurn("%s is not a text; only texts can be imported.".formatted(file));
            }
        }
        return files;
    }

    private static List<Path> filesOf(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder, DEPTH_MAX)) {
            return walk.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .filter(file -> Stream.iterate(folder.relativize(file), p -> p != null, Path::getParent)
                            .noneMatch(
                                    part -> LEFT_OUT.contains(part.getFileName().toString())))
                    .limit(FILES_MAX + 1)
                    .sorted()
                    .toList();
        }
    }
}
