package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator.ValidationResponse;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of A2A and MCP, made by others, converse with agents by a URL of the front door alone. */
@Tag("full")
@ExtendWith(SharedPlatform.class)
class OfficialClientsIT {

    private static final InteropPage PAGE = new InteropPage();

    @AfterAll
    static void compare() throws IOException {
        PAGE.compare();
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
        PAGE.begun();
        NodeClients.A2A.require();
        try (var agent = new OneVersionAgent(agentVersion)) {
            String id = register(platform, agent);

            var seen = NodeClients.A2A.seen(platform.url + "/workspaces/" + id + "/", clientVersion, binding);

            assertThat(agent.strange).isEmpty();
            assertThat(seen)
                    .containsEntry("sent", "{\"state\":\"COMPLETED\",\"text\":\"done: hi\"}")
                    .containsEntry("kept", "\"COMPLETED\"")
                    .containsEntry("unknown", "\"TaskNotFoundError\"")
                    .containsEntry("canceled", "\"TaskNotCancelableError\"")
                    .hasEntrySatisfying(
                            "streamed",
                            events ->
                                    assertThat(events).contains("\"SUBMITTED\"").endsWith("\"hello\",\"COMPLETED\"]"));
            boolean lists = clientVersion.equals("1.0");
            assertThat(seen.getOrDefault("listed", "")).isEqualTo(lists ? "[\"t-1\"]" : "");
            assertThat(seen.getOrDefault("signed", ""))
                    .as("its library checks the card's signature, that for both versions, and one that was changed")
                    .isEqualTo(lists ? "[true,true,false]" : "");
            PAGE.a2a(
                    clientVersion,
                    binding,
                    agentVersion,
                    List.of(
                            "yes",
                            lists ? "yes" : "-",
                            "yes",
                            "yes",
                            "yes",
                            lists ? "yes" : "-",
                            word(seen, "canceled"),
                            word(seen, "unknown")));
            PAGE.seen();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2025-11-25", "2026-07-28"})
    void an_mcp_client_of_either_era_speaks_for_a_workspace_and_asks_a_peer(String revision, Platform platform)
            throws Exception {
        PAGE.begun();
        NodeClients.MCP.require();
        try (var agent = new OneVersionAgent("1.0")) {
            String peer = register(platform, agent);
            var client = Member.of(platform);

            var seen = NodeClients.MCP.seen(client.url(), revision, client.token(), peer);

            assertThat(agent.strange).isEmpty();
            assertThat(seen)
                    .containsEntry("revision", "\"" + revision + "\"")
                    .containsEntry("peers", "true")
                    .containsEntry("asked", "{\"failed\":false,\"text\":\"done: hi\"}")
                    .containsEntry("wrong", "{\"failed\":true,\"text\":\"Error: workspace_id and task are required\"}")
                    .containsEntry("handed", "{\"failed\":false,\"status\":\"delegated\"}")
                    .containsEntry("unknown", "-32602")
                    .hasEntrySatisfying(
                            "tools",
                            tools -> assertThat(tools)
                                    .contains("delegate_task", "recall_memory")
                                    .doesNotContain("inbox_pop"));
            PAGE.mcp(
                    "@modelcontextprotocol/client",
                    revision,
                    List.of("yes", "yes", "yes", "`isError`", "`" + seen.get("unknown") + "`"));
            PAGE.seen();
        }
    }

    @Test
    void the_java_client_of_mcp_speaks_for_a_workspace_and_asks_a_peer(Platform platform) throws Exception {
        try (var agent = new OneVersionAgent("0.3");
                var newer = new OneVersionAgent("1.0")) {
            String peer = register(platform, agent);
            String newerPeer = register(platform, newer);
            var member = Member.of(platform);
            var transport = HttpClientStreamableHttpTransport.builder(platform.url)
                    .endpoint(URI.create(member.url()).getPath())
                    .requestBuilder(HttpRequest.newBuilder().header("Authorization", "Bearer " + member.token()))
                    .build();
            try (var client = McpClient.sync(transport)
                    .requestTimeout(Duration.ofMinutes(2))
                    .jsonSchemaValidator((schema, value) -> ValidationResponse.asValid(""))
                    .build()) {
                assertThat(client.initialize().protocolVersion()).isEqualTo("2025-11-25");
                assertThat(client.listTools().tools())
                        .extracting(McpSchema.Tool::name)
                        .contains("delegate_task");
                var answer = client.callTool(McpSchema.CallToolRequest.builder("delegate_task")
                        .arguments(Map.of("workspace_id", peer, "task", "hi"))
                        .build());
                assertThat(answer.isError()).isNotEqualTo(true);
                assertThat(((McpSchema.TextContent) answer.content().getFirst()).text())
                        .isEqualTo("done: hi");
                var handed = client.callTool(McpSchema.CallToolRequest.builder("delegate_task_async")
                        .arguments(Map.of("workspace_id", newerPeer, "task", "hi"))
                        .build());
                assertThat(handed.isError()).isNotEqualTo(true);
                var wrong = client.callTool(McpSchema.CallToolRequest.builder("delegate_task")
                        .arguments(Map.of())
                        .build());
                assertThat(wrong.isError()).isTrue();
                assertThatThrownBy(() -> client.callTool(McpSchema.CallToolRequest.builder("make_tea")
                                .arguments(Map.of())
                                .build()))
                        .hasMessageContaining("make_tea");
            }
            assertThat(agent.strange).isEmpty();
            PAGE.mcp("mcp-core", "2025-11-25", List.of("yes", "yes", "yes", "`isError`", "`-32602`"));
        }
    }

    /** A workspace whose agent is the client itself: nobody calls it. */
    private record Member(String url, String token) {

        static Member of(Platform platform) {
            String id = UUID.randomUUID().toString();
            String token = platform.post(
                            200,
                            "/registry/register",
                            "{\"id\":\"" + id
                                    + "\",\"url\":\"remote://no-inbound\",\"agent_card\":{\"name\":\"client\",\"skills\":[]}}")
                    .path("auth_token")
                    .asText();
            return new Member(platform.url + "/workspaces/" + id + "/mcp", token);
        }
    }

    private static String word(Map<String, String> seen, String what) {
        return "`" + seen.getOrDefault(what, "").replace("\"", "") + "`";
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
