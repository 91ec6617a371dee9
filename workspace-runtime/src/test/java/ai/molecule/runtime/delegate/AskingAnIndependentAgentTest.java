package ai.molecule.runtime.delegate;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.RunningAgents;
import ai.molecule.runtime.StandInPlatform.Registered;
import ai.molecule.sdk.A2aClient;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent made with somebody else's library is asked like one of ours. */
class AskingAnIndependentAgentTest {

    @TempDir
    private Path home;

    @Test
    void what_it_answers_is_read() throws Exception {
        try (var other = new IndependentAgent()) {
            var client = new A2aClient(ClientConfig.of("ws-1", "http://127.0.0.1:9", TokenFile.in(home)));

            var answer = client.send(other.url(), Optional.of("ws-2"), "hello");

            assertThat(answer.text()).isEqualTo("other: hello");
            assertThat(answer.taskState()).contains("completed");
        }
    }

    @Test
    void a_delegating_agent_of_ours_hands_on_its_answers_and_its_failures() throws Exception {
        try (var other = new IndependentAgent();
                var agents = new RunningAgents(home)) {
            var card = MissingNode.getInstance();
            agents.platform.workspaces.put(
                    "ws-2", new Registered("ws-2", "Other", other.url().toString(), card, "", ""));
            var ours = URI.create(agents.start("ws-1", "Ours", "delegate"));
            var client = new A2aClient(ClientConfig.of("ws-3", agents.platform.url(), TokenFile.in(home)));

            var answer = client.send(ours, Optional.of("ws-1"), "ask Other: how are you?\nask Other: fail");

            assertThat(answer.text()).contains("other: how are you?").contains("cannot");
        }
    }
}
