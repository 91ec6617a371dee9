package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever arrives is answered in JSON and with the code that says what was wrong. */
class BadRequestsTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{bad | -32700",
                "'' | -32700",
                "{} {} | -32700",
                "[] | -32600",
                "7 | -32600",
                "{} | -32600",
                "{\"jsonrpc\":\"1.0\",\"method\":\"message/send\"} | -32600",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"message/send\"} | -32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1} | -32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7} | -32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/dance\"} | -32601",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":[]} | -32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\"} | -32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"boss\",\"parts\":[{}]}}} | -32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[]}}} | -32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"messageId\":7,\"parts\":[{}]}}} | -32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":{\"kind\":\"message\",\"role\":\"user\",\"parts\":[{}]}}} | -32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/get\",\"params\":{}} | -32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/get\",\"params\":{\"id\":\"x\"}} | -32001",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/pushNotificationConfig/set\",\"params\":{}} | -32003",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"agent/getAuthenticatedExtendedCard\"} | -32007",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\"} | -32602",
            })
    void each_mistake_has_its_code(String body, int code) throws Exception {
        var response = agent.exchange(agent.post(body));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(json(response.body()).path("error").path("code").asInt()).isEqualTo(code);
        assertThat(json(response.body()).path("jsonrpc").asText()).isEqualTo("2.0");
    }

    @Test
    void an_error_carries_the_id_of_its_request() throws Exception {
        var response = agent.exchange(agent.post("{\"jsonrpc\":\"2.0\",\"id\":\"q-1\",\"method\":\"tasks/dance\"}"));

        assertThat(json(response.body()).path("id").asText()).isEqualTo("q-1");
    }

    @Test
    void a_page_in_a_browser_is_not_heard() throws Exception {
        String body = request("message/send", message("m1", "hi"));
        for (String page :
                new String[] {"http://evil.example", "null", "http://localhost.evil.example:" + agent.port}) {
            var refused = agent.exchange(
                    agent.post(body).setHeader("Content-Type", "text/plain").header("Origin", page));

            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).isEqualTo("{\"error\":\"origin not allowed\"}");
        }
        assertThat(agent.executor.runs).hasValue(0);

        var program =
                agent.post(body).header("Origin", "https://molecule.example").header("X-Workspace-ID", "ws-2");
        assertThat(agent.exchange(program).statusCode()).isEqualTo(200);
        assertThat(agent.exchange(agent.post(body).header("Origin", "http://localhost:3000"))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_version_that_nobody_speaks_here_is_refused_by_header_and_by_query() throws Exception {
        String body = request("message/send", message("m1", "hi"));
        var byHeader = agent.exchange(agent.post(body).header("A2A-Version", "99.0"));
        var byQuery = agent.exchange(agent.post(body).uri(agent.url("/?A2A-Version=99.0")));

        assertThat(json(byHeader.body()).path("error").path("code").asInt()).isEqualTo(-32009);
        assertThat(json(byHeader.body())
                        .path("error")
                        .path("data")
                        .path(0)
                        .path("reason")
                        .asText())
                .isEqualTo("VERSION_NOT_SUPPORTED");
        assertThat(json(byQuery.body()).path("error").path("code").asInt()).isEqualTo(-32009);
        assertThat(agent.executor.runs).hasValue(0);
    }

    @Test
    void a_message_meant_for_another_workspace_is_misdirected() throws Exception {
        String body = request("message/send", message("m1", "hi"));

        var misdirected = agent.exchange(agent.post(body).header("X-Molecule-Target", "ws-2"));
        var direct = agent.exchange(agent.post(body).header("X-Molecule-Target", AgentUnderTest.WORKSPACE));

        assertThat(misdirected.statusCode()).isEqualTo(421);
        assertThat(misdirected.body()).isEqualTo("{\"error\":\"this is not workspace ws-2\"}");
        assertThat(direct.statusCode()).isEqualTo(200);
        assertThat(agent.executor.runs).hasValue(1);
    }

    @Test
    void a_body_over_one_mebibyte_is_refused_and_the_connection_stays_usable() throws Exception {
        var tooLarge = agent.exchange(agent.post("x".repeat(BodyReader.BODY_MAX_BYTES + 1)));

        assertThat(tooLarge.statusCode()).isEqualTo(413);
        assertThat(tooLarge.body()).isEqualTo("{\"error\":\"request exceeds 1 MiB\"}");
        assertThat(agent.call("message/send", message("m1", "hi")).has("result"))
                .isTrue();
    }

    @Test
    void a_message_of_nearly_one_mebibyte_is_taken() throws Exception {
        String text = "x".repeat(BodyReader.BODY_MAX_BYTES - 1_000);

        assertThat(agent.call("message/send", message("m1", text))
                        .findValue("text")
                        .asText())
                .hasSize(text.length() + "done: ".length());
    }

    @Test
    void json_made_to_take_memory_is_refused() throws Exception {
        String deep = "[".repeat(5_000) + "]".repeat(5_000);
        String wide = "[" + "[],".repeat(200_000) + "[]]";

        assertThat(json(agent.exchange(agent.post(deep)).body())
                        .path("error")
                        .path("code")
                        .asInt())
                .isEqualTo(-32600);
        assertThat(json(agent.exchange(agent.post(wide)).body())
                        .path("error")
                        .path("code")
                        .asInt())
                .isEqualTo(-32600);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/a2a", "/a2a/", "/index.html", "/.well-known/other"})
    void other_paths_and_methods_are_not_found_in_json(String path) throws Exception {
        var response =
                agent.exchange(HttpRequest.newBuilder(agent.url(path)).method("PUT", BodyPublishers.ofString("x")));

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).isEqualTo("{\"error\":\"not found\"}");
    }
}
