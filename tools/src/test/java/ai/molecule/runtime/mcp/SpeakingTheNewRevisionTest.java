package ai.molecule.runtime.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Revision 2026-07-28: requests that stand by themselves, exchange by exchange, over HTTP and without it. */
class SpeakingTheNewRevisionTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String REVISION = "2026-07-28";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private McpMethods methods;

    @BeforeEach
    void offer() {
        var config = ClientConfig.of("me", "http://127.0.0.1:9", TokenFile.in(folder));
        var toolbox = new Toolbox(new Workspaces(List.of(new WorkspaceClient(config))), Optional.empty());
        methods = new McpMethods(toolbox, Tools.ALL);
    }

    @Test
    void a_server_is_discovered_without_a_handshake() throws Exception {
        JsonNode result = answer(request("server/discover", "")).path("result");

        assertThat(result.path("supportedVersions").toString())
                .isEqualTo("[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"]");
        assertThat(result.path("capabilities").toString())
                .isEqualTo("{\"tools\":{\"listChanged\":false},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}");
        assertThat(result.path("serverInfo").toString())
                .isEqualTo("{\"name\":\"a2a-delegation\",\"version\":\"1.0.0\"}");
        assertThat(result.at("/_meta/io.modelcontextprotocol~1serverInfo")).isEqualTo(result.path("serverInfo"));
        assertThat(result.path("resultType").asText()).isEqualTo("complete");
        assertThat(result.path("ttlMs").asInt()).isEqualTo(3_600_000);
        assertThat(result.path("cacheScope").asText()).isEqualTo("private");
        assertThat(result.path("instructions").asText()).contains("list_peers");
    }

    @Test
    void a_list_says_how_long_it_may_be_kept_and_by_whom() throws Exception {
        JsonNode result = answer(request("tools/list", "")).path("result");

        assertThat(result.at("/tools/0/name").asText()).isEqualTo("delegate_task");
        assertThat(result.path("resultType").asText()).isEqualTo("complete");
        assertThat(result.path("ttlMs").asInt()).isEqualTo(300_000);
        assertThat(result.path("cacheScope").asText()).isEqualTo("private");
    }

    @Test
    void a_call_ends_complete_also_where_the_tool_failed() throws Exception {
        JsonNode result = answer(request("tools/call", "\"name\":\"delegate_task\",\"arguments\":{},"))
                .path("result");

        assertThat(result.path("isError").asBoolean()).isTrue();
        assertThat(result.path("resultType").asText()).isEqualTo("complete");
        assertThat(result.has("ttlMs")).isFalse();
    }

    @Test
    void an_older_client_beside_it_is_answered_as_it_knows() throws Exception {
        var list = JSON.readTree("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");

        assertThat(answer(list).path("result").fieldNames()).toIterable().containsExactly("tools");
        assertThat(answer(JSON.readTree("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}"))
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32602);
    }

    @Test
    void what_it_does_not_have_any_more_is_not_there() throws Exception {
        assertThat(answer(request("ping", "")).at("/error/code").asInt()).isEqualTo(-32601);
        assertThat(post(request("ping", ""), headers("ping")).status()).isEqualTo(404);
        assertThat(post(request("resources/subscribe", ""), headers("resources/subscribe"))
                        .status())
                .isEqualTo(404);
    }

    @Test
    void a_handshake_is_of_the_older_ones_whatever_comes_with_it() throws Exception {
        var initialize = request("initialize", "\"protocolVersion\":\"2026-07-28\",");

        assertThat(post(initialize, headers("initialize")).body().orElseThrow().at("/result/protocolVersion"))
                .hasToString("\"2025-11-25\"");
    }

    @Test
    void a_revision_that_is_not_spoken_is_answered_with_those_that_are() throws Exception {
        var future = request("tools/list", "");
        ((ObjectNode) future.at("/params/_meta")).put(McpMethods.VERSION_KEY, "2027-01-01");
        var said = headers("tools/list");
        said.put("MCP-Protocol-Version", "2027-01-01");

        var reply = post(future, said);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.body().orElseThrow().path("error").toString())
                .isEqualTo("{\"code\":-32022,\"message\":\"Unsupported protocol version\",\"data\":{\"supported\":"
                        + "[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"],"
                        + "\"requested\":\"2027-01-01\"}}");
        assertThat(answer(future).at("/error/code").asInt()).isEqualTo(-32022);
    }

    @Test
    void capabilities_of_the_client_come_with_every_request() throws Exception {
        var without = request("tools/list", "");
        ((ObjectNode) without.at("/params/_meta")).remove("io.modelcontextprotocol/clientCapabilities");

        assertThat(answer(without).at("/error/code").asInt()).isEqualTo(-32602);
        assertThat(post(without, headers("tools/list")).status()).isEqualTo(400);
    }

    @Test
    void headers_say_what_the_body_says_or_it_is_refused() throws Exception {
        var call = request("tools/call", "\"name\":\"list_peers\",\"arguments\":{},");
        var right = headers("tools/call");
        right.put("Mcp-Name", "list_peers");
        assertThat(post(call, right).status()).isEqualTo(200);
        var encoded = new HashMap<>(right);
        encoded.put("Mcp-Name", "=?base64?bGlzdF9wZWVycw==?=");
        assertThat(post(call, encoded).status()).isEqualTo(200);

        for (var wrong : List.of(
                Map.entry("MCP-Protocol-Version", "2025-11-25"),
                Map.entry("MCP-Protocol-Version", ""),
                Map.entry("Mcp-Method", "tools/list"),
                Map.entry("Mcp-Method", ""),
                Map.entry("Mcp-Name", "inbox_pop"),
                Map.entry("Mcp-Name", "=?base64?!?="),
                Map.entry("Mcp-Name", ""))) {
            var headers = new HashMap<>(right);
            if (wrong.getValue().isEmpty()) {
                headers.remove(wrong.getKey());
            } else {
                headers.put(wrong.getKey(), wrong.getValue());
            }
            var reply = post(call, headers);
            assertThat(reply.status()).describedAs(wrong.toString()).isEqualTo(400);
            assertThat(reply.body().orElseThrow().at("/error/code").asInt())
                    .describedAs(wrong.toString())
                    .isEqualTo(-32020);
            assertThat(reply.body().orElseThrow().path("id").asText()).isEqualTo("r");
        }
    }

    @Test
    void where_the_body_says_nothing_the_header_decides_the_revision() throws Exception {
        var list = JSON.readTree("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");

        assertThat(post(list, Map.of())
                        .body()
                        .orElseThrow()
                        .at("/result/resultType")
                        .isMissingNode())
                .isTrue();
        assertThat(post(list, Map.of("MCP-Protocol-Version", "2025-06-18")).status())
                .isEqualTo(200);
        assertThat(post(list, headers("tools/list")).status()).isEqualTo(400);
        assertThat(post(list, Map.of("MCP-Protocol-Version", "1999-01-01")).status())
                .isEqualTo(400);
    }

    @Test
    void several_messages_in_one_are_of_one_old_revision_alone() throws Exception {
        var batch =
                JSON.readTree("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"method\":\"notifications/x\"}]");

        assertThat(post(batch, Map.of()).body().orElseThrow())
                .hasToString("[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]");
        assertThat(post(JSON.readTree("[{\"method\":\"notifications/x\"}]"), Map.of())
                        .status())
                .isEqualTo(202);
        assertThat(post(batch, Map.of("MCP-Protocol-Version", "2025-06-18")).status())
                .isEqualTo(400);
        for (var none : List.of("[]", "[{}]", "{}", "{\"method\":1}", "7", "null")) {
            assertThat(post(JSON.readTree(none), Map.of()).status()).as(none).isEqualTo(400);
        }
        assertThat(post(JSON.readTree("{\"id\":1,\"result\":{}}"), Map.of()).status())
                .isEqualTo(202);
    }

    private JsonNode answer(JsonNode request) throws Exception {
        return methods.answerTo(request).orElseThrow();
    }

    private McpOverHttp.Reply post(JsonNode request, Map<String, String> headers) throws Exception {
        return McpOverHttp.reply(methods, request.toString().getBytes(StandardCharsets.UTF_8), headers::get);
    }

    private static Map<String, String> headers(String method) {
        return new HashMap<>(Map.of("MCP-Protocol-Version", REVISION, "Mcp-Method", method));
    }

    private static JsonNode request(String method, String params) throws Exception {
        return JSON.readTree("""
                {"jsonrpc":"2.0","id":"r","method":"%s","params":{%s"_meta":{
                "io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2.1.317"},
                "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}""".formatted(method, params));
    }
}
