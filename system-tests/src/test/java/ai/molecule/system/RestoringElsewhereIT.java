package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A platform is backed up while people work with it, destroyed, and made anew in another folder. */
@Tag("full")
class RestoringElsewhereIT {

    private static final int BEFORE_THE_BACKUP = 20;

    @TempDir
    private Path temp;

    @Test
    void nothing_that_was_acknowledged_before_the_backup_is_missing() throws Exception {
        Path file = temp.resolve("backup.tar.gz");
        var acknowledged = new CopyOnWriteArrayList<String>();
        List<String> before;
        String agent;
        try (var platform = Platform.up(temp.resolve("lost"), "--no-demo")) {
            agent = platform.create("Writer", "echo", null);
            platform.awaitStatus(agent, "online");
            platform.say(agent, "remember me");
            Path work = platform.data().resolve("workspaces").resolve(agent).resolve("workspace");
            Files.writeString(Files.createDirectories(work).resolve("half.txt"), "half a report");
            var over = new AtomicBoolean();
            var enough = new CountDownLatch(BEFORE_THE_BACKUP);
            var load = Thread.ofVirtual().start(() -> {
                for (int n = 0; !over.get(); n++) {
                    acknowledged.add(
                            platform.post(201, "/workspaces", "{\"name\":\"Agent %d\",\"external\":true}".formatted(n))
                                    .path("id")
                                    .asText());
                    enough.countDown();
                }
            });
            assertThat(enough.await(1, TimeUnit.MINUTES)).isTrue();
            before = List.copyOf(acknowledged);
            var backup = Launcher.run(
                    "backup",
                    file.toString(),
                    "--with-key",
                    "--data",
                    platform.data().toString());
            over.set(true);
            load.join(Duration.ofMinutes(1));
            assertThat(backup.exitCode()).as(backup.err()).isZero();
            platform.killLauncher();
            platform.awaitNothingLeft(Duration.ofMinutes(1));
        }

        var restored = Launcher.run(
                "restore", file.toString(), "--data", temp.resolve("found").toString());

        assertThat(restored.exitCode()).as(restored.err()).isZero();
        try (var platform = Platform.up(temp.resolve("found"), "--no-demo")) {
            assertThat(StreamSupport.stream(platform.get("/workspaces").spliterator(), false)
                            .map(workspace -> workspace.path("id").asText()))
                    .containsAll(before);
            platform.awaitStatus(agent, "online");
            assertThat(platform.say(agent, "are you there?")).contains("are you there?");
            assertThat(platform.get("/workspaces/" + agent + "/activity").toString())
                    .contains("remember me");
            assertThat(platform.data().resolve("workspaces").resolve(agent).resolve("workspace/half.txt"))
                    .hasContent("half a report");
        }
    }
}
