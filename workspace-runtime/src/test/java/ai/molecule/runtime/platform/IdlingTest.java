package ai.molecule.runtime.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.StandInPlatform;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent with nothing to do is told its idle prompt. */
class IdlingTest {

    @TempDir
    private Path home;

    @Test
    void it_is_told_when_it_is_idle_and_not_while_it_works() throws Exception {
        var asked = new AtomicInteger();
        try (var platform = new StandInPlatform();
                var routines = new Routines()) {
            var self = new WorkspaceClient(ClientConfig.of("ws-1", platform.url(), TokenFile.in(home)));
            var prompts = new SelfPrompts("", "anything to do?", Duration.ofSeconds(1));

            routines.begin("idle", new IdleLoop(self, prompts, () -> asked.incrementAndGet() == 1));

            await().until(() -> !platform.toldSelf.isEmpty());
            assertThat(asked).hasValueGreaterThanOrEqualTo(2);
            var message = platform.toldSelf.getFirst().path("params").path("message");
            assertThat(message.path("messageId").asText()).matches("idle-[0-9a-f]{8}");
            assertThat(message.path("parts").path(0).path("text").asText()).isEqualTo("anything to do?");
        }
    }

    @Test
    void what_it_waits_for_has_bounds() {
        assertThat(IdleLoop.settling(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(10));
        assertThat(IdleLoop.settling(Duration.ofSeconds(600))).isEqualTo(Duration.ofSeconds(60));
        assertThat(IdleLoop.timeout(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(60));
        assertThat(IdleLoop.timeout(Duration.ofSeconds(120))).isEqualTo(Duration.ofSeconds(120));
        assertThat(IdleLoop.timeout(Duration.ofSeconds(600))).isEqualTo(Duration.ofSeconds(300));
    }
}
