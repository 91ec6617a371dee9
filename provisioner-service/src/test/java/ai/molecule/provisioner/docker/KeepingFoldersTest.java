package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders that a person lends an agent, and conversations that outlast its container. */
class KeepingFoldersTest extends DockerFixture {

    @Test
    void a_lent_folder_is_its_workspace_and_stays_its_owners(@TempDir Path lent) throws IOException {
        Files.writeString(lent.resolve("theirs"), "before\n");
        Files.setPosixFilePermissions(lent, PosixFilePermissions.fromString("rwxrwxrwx"));
        backend.start(lending(lent.toString(), "read_write", "cat theirs; echo mine >mine; sleep 60"))
                .await();
        awaitLog("before");
        await().untilAsserted(() -> assertThat(lent.resolve("mine")).hasContent("mine\n"));

        var note = FilePath.of("folder/note");
        backend.files()
                .write(id, Root.WORKSPACE, Map.of(note, Buffer.buffer("a note")))
                .await();

        assertThat(lent.resolve("folder/note")).hasContent("a note");
        assertThat(backend.files().read(id, Root.WORKSPACE, FilePath.of("mine")).await())
                .contains(Buffer.buffer("mine\n"));
        assertThat(Files.getOwner(lent)).isEqualTo(Files.getOwner(lent.resolve("theirs")));
        for (String made : new String[] {"folder", "mine"}) {
            backend.files().delete(id, Root.WORKSPACE, FilePath.of(made)).await();
        }
        backend.delete(id).await();
        assertThat(lent.toFile().list()).containsExactly("theirs");
    }

    @Test
    void a_folder_lent_for_reading_is_written_by_nobody(@TempDir Path lent) throws IOException {
        Files.writeString(lent.resolve("theirs"), "before\n");
        Files.setPosixFilePermissions(lent, PosixFilePermissions.fromString("rwxr-xr-x"));
        backend.start(lending(lent.toString(), "read_only", "touch x; cat theirs; sleep 60"))
                .await();
        awaitLog("before");

        var file = FilePath.of("theirs");
        assertThatThrownBy(() -> backend.files()
                        .write(id, Root.WORKSPACE, Map.of(file, Buffer.buffer("x")))
                        .await())
                .hasMessage("workspace_dir is lent read_only");
        assertThatThrownBy(
                        () -> backend.files().delete(id, Root.WORKSPACE, file).await())
                .hasMessage("workspace_dir is lent read_only");
        assertThat(lent.toFile().list()).containsExactly("theirs");
    }

    @Test
    void a_lent_folder_that_is_not_there_fails_the_start() {
        assertThatThrownBy(() -> backend.start(lending("/not/here", "read_write", STEADY))
                        .await())
                .isInstanceOf(StartRefused.class)
                .hasMessage("workspace_dir /not/here is no folder on the engine's machine");
    }

    private Launch lending(String folder, String access, String script) {
        var launch = launch(Map.of("SCRIPT", script), 2, 1);
        var workspace =
                WorkspaceBuilder.like(launch.workspace()).lent(folder, access).build();
        return new Launch(workspace, launch.port(), launch.token(), launch.secrets());
    }

    @Test
    void claude_keeps_its_conversations_in_a_volume_of_their_own_until_they_are_forgotten() throws Exception {
        String sessions = "/home/.claude/sessions";
        var first = startClaude("echo said >%s/one; echo settings >/home/.claude/settings; ls -A %s; sleep 60"
                .formatted(sessions, sessions));
        awaitLog("one");
        assertThat(TestEngine.leftOf(vertx, id))
                .contains("ws-%s-claude-sessions".formatted(id.toString().substring(0, 12)));

        backend.stop(first).await();
        startClaude("cat %s/one; sleep 60".formatted(sessions));
        awaitLog("said");
        backend.forgetSessions(id).await(); // while it runs
        backend.stop(backend.findAlive(id, null).await().orElseThrow()).await();
        startClaude("ls -A %s; cat /home/.claude/settings; sleep 60".formatted(sessions));

        awaitLog("settings");
        assertThat(log()).isEqualTo("settings");
    }

    private AgentProcess startClaude(String script) {
        var launch = launch(Map.of("SCRIPT", script), 2, 3);
        var workspace =
                WorkspaceBuilder.like(launch.workspace()).runtime("claude-code").build();
        return backend.start(new Launch(workspace, launch.port(), launch.token(), launch.secrets()))
                .await();
    }
}
