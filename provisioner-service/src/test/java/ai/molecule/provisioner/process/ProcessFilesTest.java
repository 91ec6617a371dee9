package ai.molecule.provisioner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.backend.WorkspaceFilesContract;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The agents' folders of the process backend, against everything an agent may do to them meanwhile. */
class ProcessFilesTest extends WorkspaceFilesContract {

    private static final Duration ATTACK = Duration.ofMillis(1_500);

    @Override
    protected WorkspaceFiles files(Vertx vertx) {
        return new ProcessFiles(vertx, data());
    }

    @Override
    protected void asAgent(String script) throws Exception {
        var folder = Files.createDirectories(workspace("workspace"));
        var process = shell(folder, script).redirectErrorStream(true).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .describedAs(new String(process.getInputStream().readAllBytes()))
                .isZero();
    }

    @Test
    void everything_is_for_its_owner_only() throws IOException {
        write(Root.CONFIGS, "skills/a/SKILL.md", "x");

        assertThat(modeOf("configs")).isEqualTo("rwx------");
        assertThat(modeOf("configs/skills/a")).isEqualTo("rwx------");
        assertThat(modeOf("configs/skills/a/SKILL.md")).isEqualTo("rw-------");
    }

    @Test
    void home_is_the_folder_the_agent_works_in() {
        write(Root.HOME, "x", "1");

        assertThat(text(Root.WORKSPACE, "x")).isEqualTo("1");
        assertThat(workspace("workspace/x")).exists();
    }

    @Test
    void a_file_that_has_another_name_elsewhere_is_not_read() throws Exception {
        var secret = Files.writeString(
                Files.createDirectories(data().resolve("secrets")).resolve("key"), "hush");
        asAgent("ln " + secret + " hard; echo mine > own");

        assertThat(text(Root.WORKSPACE, "hard")).isEqualTo("(none)");
        assertThat(files.open(id, Root.WORKSPACE, FilePath.of("hard")).await()).isEmpty();
        assertThat(text(Root.WORKSPACE, "own")).isEqualTo("mine\n");
    }

    @Test
    void a_root_that_was_replaced_by_a_link_leads_nowhere() throws Exception {
        var outside = Files.createDirectories(temp.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "s");
        Files.createDirectories(workspace(""));
        Files.createSymbolicLink(workspace("configs"), outside);

        assertThat(list(Root.CONFIGS, "", 5)).isEmpty();
        assertThat(text(Root.CONFIGS, "secret")).isEqualTo("(none)");
        assertThatThrownBy(() -> write(Root.CONFIGS, "new", "x")).hasMessage("invalid path");
        assertThat(outside.resolve("new")).doesNotExist();
    }

    @Test
    void a_folder_swapped_for_a_link_in_the_middle_leads_nowhere() throws Exception {
        var outside = Files.createDirectories(temp.resolve("outside"));
        Files.writeString(outside.resolve("f"), "secret");
        asAgent("mkdir d; echo mine > d/f");
        var attacker = shell(workspace("workspace"), """
                while :; do mv d real; ln -s %s d; rm d; mkfifo d; rm d; mv real d; done
                """.formatted(outside)).start();
        try {
            var end = Instant.now().plus(ATTACK);
            int written = 0;
            while (Instant.now().isBefore(end)) {
                assertThat(text(Root.WORKSPACE, "d/f")).isIn("mine\n", "ours", "(none)");
                assertThat(list(Root.WORKSPACE, "d", 2)).doesNotContain("f 6");
                written += tryToWrite("d/f", "ours");
                tryToWrite("d/new/g", "ours");
                delete(Root.WORKSPACE, "d/new");
            }
            assertThat(written).isPositive();
        } finally {
            attacker.destroyForcibly().waitFor();
        }
        assertThat(outside.resolve("f")).hasContent("secret");
        try (var found = Files.list(outside)) {
            assertThat(found).containsExactly(outside.resolve("f"));
        }
    }

    @Test
    void a_reader_sees_a_file_whole_or_not_at_all() throws Exception {
        String one = "1".repeat(500_000);
        String two = "2".repeat(400_000);
        write(Root.WORKSPACE, "f", one);
        for (int i = 0; i < 50; i++) {
            var writing = files.write(id, Root.WORKSPACE, Map.of(path("f"), Buffer.buffer(i % 2 == 0 ? two : one)));
            assertThat(text(Root.WORKSPACE, "f")).isIn(one, two);
            writing.await();
        }
    }

    @Test
    void nothing_is_left_in_between_and_what_a_crash_left_is_cleared() throws Exception {
        var staging = data().resolve("staging");
        var old = staging.resolve("old");
        Files.createDirectories(old.resolve("sub"));
        Files.writeString(old.resolve("sub/f"), "x");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        write(Root.WORKSPACE, "a/b", "x");
        tryToWrite("a", "refused");
        delete(Root.WORKSPACE, "a");

        new Staging(staging).clear();

        try (var left = Files.list(staging)) {
            assertThat(left).isEmpty();
        }
    }

    private int tryToWrite(String path, String text) {
        try {
            write(Root.WORKSPACE, path, text);
            return 1;
        } catch (RuntimeException lostTheRace) {
            return 0;
        } catch (Exception lostTheRace) {
            return lostTheRace instanceof IOException ? 0 : 1;
        }
    }

    private ProcessBuilder shell(Path folder, String script) {
        return new ProcessBuilder("/bin/sh", "-c", script).directory(folder.toFile());
    }

    private String modeOf(String path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(workspace(path)));
    }

    private Path workspace(String path) {
        return data().resolve("workspaces").resolve(id.toString()).resolve(path);
    }

    private Path data() {
        return temp.resolve("data");
    }
}
