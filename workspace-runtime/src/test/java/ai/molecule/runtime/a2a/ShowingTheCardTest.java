package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ShowingTheCardTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void both_well_known_paths_show_the_same_card() throws Exception {
        var card = agent.exchange(HttpRequest.newBuilder(agent.url("/.well-known/agent-card.json")));
        var older = agent.exchange(HttpRequest.newBuilder(agent.url("/.well-known/agent.json")));

        assertThat(card.statusCode()).isEqualTo(200);
        assertThat(card.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(older.body()).isEqualTo(card.body());
    }

    @Test
    void the_card_has_what_the_protocol_requires_and_an_address_that_answers() throws Exception {
        var card = json(agent.exchange(HttpRequest.newBuilder(agent.url("/.well-known/agent-card.json")))
                .body());

        assertThat(card.path("protocolVersion").asText()).isEqualTo("0.3.0");
        assertThat(card.path("name").asText()).isEqualTo("Scripted");
        assertThat(card.path("description").asText()).isEqualTo("Scripted");
        assertThat(card.path("version").asText()).isEqualTo("1.2.3");
        assertThat(card.path("preferredTransport").asText()).isEqualTo("JSONRPC");
        assertThat(card.path("defaultInputModes").path(0).asText()).isEqualTo("text/plain");
        assertThat(card.path("defaultOutputModes").path(0).asText()).isEqualTo("text/plain");
        assertThat(card.path("skills").path(0).path("id").asText()).isEqualTo("scripted");
        assertThat(card.path("url").asText()).isEqualTo("http://127.0.0.1:" + agent.port);
        var answer = agent.exchange(agent.post(request("message/send", message("m1", "hi")))
                .uri(URI.create(card.path("url").asText() + "/a2a")));
        assertThat(answer.statusCode()).isEqualTo(200);
    }

    @Test
    void the_card_declares_only_what_is_true() throws Exception {
        var capabilities = json(agent.exchange(HttpRequest.newBuilder(agent.url("/.well-known/agent-card.json")))
                        .body())
                .path("capabilities");

        assertThat(capabilities.path("streaming").asBoolean()).isTrue();
        assertThat(capabilities.path("pushNotifications").asBoolean(true)).isFalse();
        assertThat(capabilities.path("stateTransitionHistory").asBoolean(true)).isFalse();
        assertThat(capabilities
                        .path("extensions")
                        .path(0)
                        .path("params")
                        .path("method")
                        .asText())
                .isEqualTo("molecule/tasks/byMessage");
    }

    @Test
    void a_reader_who_has_the_card_is_told_so() throws Exception {
        var url = agent.url("/.well-known/agent-card.json");
        String tag = agent.exchange(HttpRequest.newBuilder(url))
                .headers()
                .firstValue("ETag")
                .orElseThrow();

        var again = agent.exchange(HttpRequest.newBuilder(url).header("If-None-Match", tag));

        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
    }

    @Test
    void a_version_gets_its_own_card_and_nobodys_the_older_one_with_the_newer_interfaces() throws Exception {
        var both = card("");
        var older = card("0.3");
        var newer = card("1.0");

        assertThat(both.has("protocolVersion")).isTrue();
        assertThat(both.path("supportedInterfaces")).isEqualTo(newer.path("supportedInterfaces"));
        assertThat(older.has("protocolVersion")).isTrue();
        assertThat(older.has("supportedInterfaces")).isFalse();
        assertThat(newer.fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder(
                        "name",
                        "description",
                        "supportedInterfaces",
                        "version",
                        "capabilities",
                        "defaultInputModes",
                        "defaultOutputModes",
                        "skills");
        assertThat(newer.path("capabilities").fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("streaming", "pushNotifications", "extendedAgentCard", "extensions");
        assertThat(newer.at("/supportedInterfaces/0/protocolVersion").asText()).isEqualTo("1.0");
        assertThat(newer.at("/supportedInterfaces/0/protocolBinding").asText()).isEqualTo("JSONRPC");
    }

    private JsonNode card(String version) throws Exception {
        var response = agent.exchange(HttpRequest.newBuilder(agent.url("/.well-known/agent-card.json"))
                .header("A2A-Version", version));
        assertThat(response.headers().firstValue("Vary")).contains("A2A-Version");
        return json(response.body());
    }

    @Test
    void an_agent_that_requires_its_token_says_so() {
        var card = AgentCard.withToken(
                AgentCard.create("Scripted", "", "1.2.3", "http://127.0.0.1:1", List.of(agent.executor.skill())));

        assertThat(card.path("securitySchemes")
                        .path("workspaceToken")
                        .path("scheme")
                        .asText())
                .isEqualTo("bearer");
        assertThat(card.path("security").toString()).isEqualTo("[{\"workspaceToken\":[]}]");
        var newer = AgentCard.in(CardForm.V1_0, card);
        assertThat(newer.at("/securitySchemes/workspaceToken/httpAuthSecurityScheme/scheme")
                        .asText())
                .isEqualTo("bearer");
        assertThat(newer.path("securityRequirements").toString())
                .isEqualTo("[{\"schemes\":{\"workspaceToken\":{\"list\":[]}}}]");
    }
}
