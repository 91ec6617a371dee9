package ai.molecule.proxy.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.common.tracing.RpcFact;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.runtime.mcp.McpOverHttp.Reply;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The span of a request says which method of MCP it is, of which revision, which tool it calls, and what went wrong. */
class NamingMcpInSpansTest {

    private static final class Said implements Tracing.Span {

        final Map<RpcFact, String> facts = new EnumMap<>(RpcFact.class);

        @Override
        public void isCalled(String name, String route) {}

        @Override
        public void says(RpcFact fact, String value) {
            if (!value.isEmpty()) {
                facts.put(fact, value);
            }
        }

        @Override
        public String traceId() {
            return "";
        }

        @Override
        public String traceparent() {
            return "";
        }
    }

    @Test
    void a_call_says_its_tool_and_its_revision() {
        assertThat(said(
                        "{\"method\":\"tools/call\",\"params\":{\"name\":\"list_peers\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
                        "{\"result\":{\"content\":[]}}"))
                .isEqualTo(Map.of(
                        RpcFact.MCP_METHOD, "tools/call",
                        RpcFact.MCP_VERSION, "2026-07-28",
                        RpcFact.OPERATION, "execute_tool",
                        RpcFact.TOOL, "list_peers"));
    }

    @Test
    void a_handshake_says_the_revision_that_was_agreed() {
        assertThat(said(
                        "{\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2099-01-01\"}}",
                        "{\"result\":{\"protocolVersion\":\"2025-11-25\"}}"))
                .isEqualTo(Map.of(RpcFact.MCP_METHOD, "initialize", RpcFact.MCP_VERSION, "2025-11-25"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"error\":{\"code\":-32602}} | -32602",
                "{\"result\":{\"isError\":true}} | tool_error",
                "{\"result\":{\"isError\":false}} | "
            })
    void what_went_wrong_is_a_code_or_the_tools_own(String answer, String error) {
        assertThat(said("{\"method\":\"tools/call\",\"params\":{\"name\":\"list_peers\"}}", answer)
                        .get(RpcFact.ERROR))
                .isEqualTo(error);
    }

    @Test
    void a_tool_that_there_is_not_and_a_message_without_a_method_name_nothing() {
        assertThat(said("{\"method\":\"tools/call\",\"params\":{\"name\":\"a secret\"}}", "{}"))
                .isEqualTo(Map.of(RpcFact.MCP_METHOD, "tools/call"));
        assertThat(said("[{\"method\":\"ping\"}]", "{}")).isEmpty();
    }

    private static Map<RpcFact, String> said(String message, String answer) {
        var span = new Said();
        McpSpan.tell(span, Json.stored(message), new Reply(200, Optional.of(Json.stored(answer)), Optional.empty()));
        return span.facts;
    }
}
