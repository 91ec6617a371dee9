package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent that is a model, as a user gets one: an endpoint as a global secret, and a workspace with a model. */
@Tag("full")
class AgentsWithAModelIT {

    @Test
    void it_gives_work_to_a_peer_and_knows_its_peers_as_they_are_now(@TempDir Path temp) throws Exception {
        try (var model = new DelegatingModel();
                var platform = Platform.up(temp.resolve("data"), "--no-demo")) {
            platform.put("/settings/secrets", "{\"key\":\"OPENAI_BASE_URL\",\"value\":\"" + model.url() + "\"}");
            String lead = platform.create("Lead", "langgraph", null);
            String writer = platform.create("Writer", "echo", lead);
            platform.awaitStatus(lead, "online");
            platform.awaitStatus(writer, "online");

            assertThat(platform.say(lead, "ask " + writer + ": say hello")).isEqualTo("They said: Echo: say hello");
            assertThat(platform.say(lead, "who is there?"))
                    .isEqualTo("- **Writer** (id: `" + writer + "`, status: online)");

            platform.patch("/workspaces/" + writer, "{\"name\":\"Author\"}");
            await().until(() -> platform.say(lead, "and now?").startsWith("- **Author** (id"));
        }
    }
}
