package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients of both versions of A2A, made by others, converse with agents of either by a URL of the front door alone. */
@ExtendWith(SharedPlatform.class)
class OfficialClientsIT {

    @BeforeAll
    static void install() throws Exception {
        NodeClients.require();
    }

    @ParameterizedTest
    @CsvSource({
        "0.3, 0.3, JSONRPC",
        "0.3, 1.0, JSONRPC",
        "0.3, 1.0, HTTP+JSON",
        "1.0, 0.3, JSONRPC",
        "1.0, 1.0, JSONRPC",
        "1.0, 1.0, HTTP+JSON"
    })
    void each_sends_streams_and_asks(String agentVersion, String clientVersion, String binding, Platform platform)
            throws Exception {
        assertThat(Files.readString(Path.of(System.getProperty("molecule.root", ".."), "docs", "interop.md")))
                .contains("| `@a2a-js/sdk` %s | %s | A2A %s | sends,".formatted(clientVersion, binding, agentVersion));
        try (var agent = new OneVersionAgent(agentVersion)) {
            String id = register(platform, agent);

            var seen = NodeClients.seen(platform.url + "/workspaces/" + id + "/", clientVersion, binding);

            assertThat(agent.strange).isEmpty();
            assertThat(seen)
                    .containsEntry("sent", "{\"state\":\"COMPLETED\",\"text\":\"done: hi\"}")
                    .containsEntry("kept", "\"COMPLETED\"")
                    .containsEntry("unknown", "\"TaskNotFoundError\"")
                    .hasEntrySatisfying(
                            "streamed",
                            events ->
                                    assertThat(events).contains("\"SUBMITTED\"").endsWith("\"hello\",\"COMPLETED\"]"));
        }
    }

    /** As an agent says hello that nobody started. */
    private static String register(Platform platform, OneVersionAgent agent) {
        String id = UUID.randomUUID().toString();
        platform.post(
                200,
                "/registry/register",
                "{\"id\":\"" + id + "\",\"url\":\"" + agent.url() + "\",\"agent_card\":" + agent.card() + "}");
        return id;
    }
}
