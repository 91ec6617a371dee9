package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./molecule up --folder}: three agents read a folder of the user's and write a report into one folder of it, the same whatever dies. */
@Tag("full")
class OwnFolderIT {

    private static final List<String> TEAM = List.of("Folder Lead", "Folder Reader", "Folder Writer");
    private static final String REPORT = """
            # About this folder

            ## Files

            notes.md
            src/main.sh

            ## Still to do

            src/main.sh:2: # TODO say more
            """;

    private static Platform platform;
    private static Path folder;

    @BeforeAll
    static void start(@TempDir Path temp) throws IOException {
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        folder = Files.createDirectories(temp.resolve("mine"));
        Files.writeString(folder.resolve("notes.md"), "Notes.\n");
        Files.writeString(
                Files.createDirectories(folder.resolve("src")).resolve("main.sh"), "echo hello\n# TODO say more\n");
        platform = Platform.up(temp.resolve("data"), "--folder", folder.toString());
        await().ignoreExceptions()
                .until(() -> TEAM.stream().allMatch(name -> !idOf(name).isEmpty()));
        TEAM.forEach(name -> platform.awaitStatus(idOf(name), "online"));
    }

    @AfterAll
    static void stop() {
        if (platform != null) {
            platform.close();
        }
    }

    @Test
    void the_report_is_made_and_the_rest_of_the_folder_is_as_it_was() throws IOException {
        var before = files();

        assertThat(platform.say(idOf("Folder Lead"), "What is in this folder?"))
                .endsWith("The report is molecule-out/about-this-folder.md.");

        assertThat(report()).isEqualTo(REPORT);
        assertThat(files()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Folder Lead", "Folder Reader", "Folder Writer"})
    void it_is_the_same_when_one_of_them_is_killed_in_the_middle(String killed) throws Exception {
        Files.deleteIfExists(folder.resolve("molecule-out/about-this-folder.md"));
        String id = idOf(killed);
        platform.awaitStatus(id, "online");

        var before = kept(id);
        var said = CompletableFuture.supplyAsync(() -> platform.say(idOf("Folder Lead"), "What is in here?"));
        await().until(() -> !before.containsAll(kept(id)));
        platform.agentProcess(id).destroyForcibly();

        assertThat(said.join()).endsWith("The report is molecule-out/about-this-folder.md.");
        assertThat(report()).isEqualTo(REPORT);
    }

    /** The tasks under way whose message it has written down; of one that it had not, its caller hears that the answer was lost. */
    private static Set<Path> kept(String id) throws IOException {
        try (var files = Files.walk(platform.data())) {
            return files.filter(file -> file.toString().contains(id)
                            && String.valueOf(file.getParent()).endsWith(".tasks")
                            && !file.toString().endsWith(".over.jsonl")
                            && holdsMessage(file))
                    .collect(Collectors.toSet());
        } catch (UncheckedIOException movedMeanwhile) {
            return Set.of();
        }
    }

    private static boolean holdsMessage(Path file) {
        try {
            return Files.readString(file)
                    .lines()
                    .anyMatch(row -> row.startsWith("{\"row\":\"message\"") && row.endsWith("}"));
        } catch (IOException movedMeanwhile) {
            return false;
        }
    }

    private static String report() throws IOException {
        return Files.readString(folder.resolve("molecule-out/about-this-folder.md"));
    }

    /** What they hold, but for what agents write. */
    private static Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (var all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = folder.relativize(file).toString();
                if (!name.startsWith("molecule-out/")) {
                    files.put(name, Files.readString(file));
                }
            }
        }
        return files;
    }

    private static String idOf(String name) {
        return StreamSupport.stream(platform.get("/workspaces").spliterator(), false)
                .filter(row -> row.get("name").asText().equals(name))
                .map(row -> row.get("id").asText())
                .findFirst()
                .orElse("");
    }
}
