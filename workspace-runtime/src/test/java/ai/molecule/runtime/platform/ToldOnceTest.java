package ai.molecule.runtime.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.StandInPlatform;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent is told its initial prompt once in its life, whatever happens meanwhile. */
class ToldOnceTest {

    @TempDir
    private Path home;

    private StandInPlatform platform;

    @BeforeEach
    void startPlatform() throws Exception {
        platform = new StandInPlatform();
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void it_is_sent_through_the_platform_and_marked() throws Exception {
        prompt("look around", () -> true, home).run();

        assertThat(platform.toldSelf).singleElement().satisfies(body -> {
            assertThat(body.path("method").asText()).isEqualTo("message/send");
            assertThat(body.has("jsonrpc")).isFalse();
            var message = body.path("params").path("message");
            assertThat(message.path("role").asText()).isEqualTo("user");
            assertThat(message.path("messageId").asText()).matches("initial-[0-9a-f]{8}");
            assertThat(message.path("parts").toString()).isEqualTo("[{\"kind\":\"text\",\"text\":\"look around\"}]");
        });
        assertThat(Files.readString(home.resolve(".initial_prompt_done"))).isEqualTo("attempted");
    }

    @Test
    void a_second_start_does_not_repeat_it() throws Exception {
        prompt("look around", () -> true, home).run();

        prompt("look around", () -> true, home).run();

        assertThat(platform.toldSelf).hasSize(1);
    }

    @Test
    void an_empty_one_is_neither_sent_nor_marked() throws Exception {
        prompt("", () -> true, home).run();

        assertThat(platform.toldSelf).isEmpty();
        assertThat(home.resolve(".initial_prompt_done")).doesNotExist();
    }

    @Test
    void the_marker_goes_where_it_can_be_written_and_without_one_nothing_is_sent() throws Exception {
        Path nowhere = home.resolve("nowhere");
        prompt("look around", () -> true, nowhere).run();
        assertThat(platform.toldSelf).isEmpty();

        prompt("look around", () -> true, nowhere, home).run();

        assertThat(platform.toldSelf).hasSize(1);
        assertThat(home.resolve(".initial_prompt_done")).exists();
    }

    @Test
    void it_waits_until_the_agent_answers() throws Exception {
        var probes = new AtomicInteger();

        prompt("look around", () -> probes.incrementAndGet() == 3, home).run();

        assertThat(platform.toldSelf).hasSize(1);
    }

    @Test
    void it_is_given_up_when_the_agent_never_answers() throws Exception {
        var probes = new AtomicInteger();

        prompt("look around", () -> probes.incrementAndGet() < 0, home).run();

        assertThat(probes).hasValue(InitialPrompt.PROBES_MAX);
        assertThat(platform.toldSelf).isEmpty();
        assertThat(home.resolve(".initial_prompt_done")).exists();
    }

    @Test
    void a_refusal_is_tried_again_as_the_same_message_and_not_for_ever() throws Exception {
        platform.refuseNext(2);
        prompt("look around", () -> true, home).run();
        assertThat(platform.toldSelf).hasSize(1);
        assertThat(platform.refusals).hasValue(2);

        Files.delete(home.resolve(".initial_prompt_done"));
        platform.refuseNext(100);
        prompt("look around", () -> true, home).run();

        assertThat(platform.refusals).hasValue(2 + InitialPrompt.ATTEMPTS_MAX);
        assertThat(platform.toldSelf).hasSize(1);
    }

    private InitialPrompt prompt(String text, BooleanSupplier ready, Path... folders) {
        var self = new WorkspaceClient(ClientConfig.of("ws-1", platform.url(), TokenFile.in(home)));
        return new InitialPrompt(self, text, List.of(folders), ready, Duration.ofMillis(1));
    }
}
