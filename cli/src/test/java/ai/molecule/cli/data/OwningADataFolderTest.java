package ai.molecule.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One data folder, one platform. */
class OwningADataFolderTest {

    @TempDir
    Path temp;

    private DataFolder data;

    @BeforeEach
    void openFolder() {
        data = DataFolder.open(temp.resolve("data"));
    }

    @Test
    void a_held_lock_is_refused_and_names_its_holder() throws IOException {
        try (var held = FolderLock.tryAcquire(data.lock()).orElseThrow()) {
            assertThat(FolderLock.tryAcquire(data.lock())).isEmpty();
            assertThat(FolderLock.isHeld(data.lock())).isTrue();
            assertThat(FolderLock.holder(data.lock()))
                    .hasValue(ProcessHandle.current().pid());
            assertThat(held).isNotNull();
        }
    }

    @Test
    void a_released_lock_can_be_taken_again() throws IOException {
        FolderLock.tryAcquire(data.lock()).orElseThrow().close();

        assertThat(FolderLock.isHeld(data.lock())).isFalse();
        try (var again = FolderLock.tryAcquire(data.lock()).orElseThrow()) {
            assertThat(again).isNotNull();
        }
    }

    @Test
    void a_folder_with_something_else_in_it_is_refused_and_stays_as_it_is() throws IOException {
        Path shared = Files.createDirectory(temp.resolve("shared"));
        Files.writeString(shared.resolve("thesis.txt"), "mine");
        var everybody = PosixFilePermissions.fromString("rwxrwxrwx");
        Files.setPosixFilePermissions(shared, everybody);

        assertThatThrownBy(() -> DataFolder.open(shared)).isInstanceOfSatisfying(LaunchFailure.class, e -> {
            assertThat(e.exitCode()).isEqualTo(2);
            assertThat(e.sentence()).contains(shared.toString(), "thesis.txt", "--data");
        });
        assertThat(Files.getPosixFilePermissions(shared)).isEqualTo(everybody);
        assertThat(shared).isDirectoryNotContaining(path -> !path.endsWith("thesis.txt"));
    }

    @Test
    void a_folder_of_ours_an_empty_one_and_one_prepared_for_us_are_taken() throws IOException {
        Files.writeString(data.root().resolve("notes.txt"), "laid there later");
        Path empty = Files.createDirectory(temp.resolve("empty"));
        Path prepared =
                Files.createDirectories(temp.resolve("prepared/org-templates")).getParent();

        for (Path folder : new Path[] {data.root(), empty, prepared, temp.resolve("none/yet")}) {
            assertThat(DataFolder.open(folder).secrets()).isDirectory();
        }
    }

    @Test
    void a_folder_that_is_a_file_is_refused_in_one_sentence() throws IOException {
        Path file = Files.writeString(temp.resolve("taken"), "");

        assertThatThrownBy(() -> DataFolder.open(file)).isInstanceOfSatisfying(LaunchFailure.class, e -> {
            assertThat(e.exitCode()).isEqualTo(2);
            assertThat(e.sentence()).contains(file.toString(), "--data").doesNotContain("\n");
        });
    }

    @Test
    void the_run_file_is_read_as_it_was_written() throws IOException {
        var services = new TreeMap<String, RunFile.Endpoint>();
        services.put("registry", new RunFile.Endpoint(4711, 42));
        var running = new RunFile("http://127.0.0.1:8080", 41, true, services, new TreeMap<>());

        running.write(data.runFile());

        assertThat(RunFile.read(data.runFile())).contains(running);
    }

    @Test
    void a_broken_run_file_says_nothing_is_running() throws IOException {
        Files.writeString(data.runFile(), "{\"url\":");

        assertThat(RunFile.read(data.runFile())).isEmpty();
    }

    @Test
    void a_process_id_that_was_given_away_again_is_not_taken_for_ours() throws IOException {
        var file = new PidFile(data.pids().resolve("registry"));
        file.write(ProcessHandle.current().pid());
        assertThat(file.living()).isPresent();

        Files.setLastModifiedTime(file.path(), java.nio.file.attribute.FileTime.fromMillis(1000));

        assertThat(file.living()).isEmpty();
    }
}
