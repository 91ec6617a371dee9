package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent told to requires its own token of whoever calls it; its card stays open, and says so. */
class RequiringTheTokenTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest(CallerProof.ANY_TOKEN);

    @Test
    void whoever_shows_the_token_is_served() throws Exception {
        var answer = agent.exchange(agent.post(request("message/send", message("m1", "hi")))
                .header("Authorization", "Bearer " + AgentUnderTest.TOKEN));

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(agent.executor.runs).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer ", "Bearer other", "bearer token-of-ws-1", "Basic token-of-ws-1"})
    void others_are_not(String authorization) throws Exception {
        var asked = agent.post(request("message/send", message("m1", "hi")));
        var answer = agent.exchange(authorization.isEmpty() ? asked : asked.header("Authorization", authorization));

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.body()).isEqualTo("{\"error\":\"unauthorized\"}");
        assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
        assertThat(agent.executor.runs).hasValue(0);
    }

    @Test
    void nobody_is_while_the_agent_has_no_token_yet() throws Exception {
        agent.token = Optional.empty();

        assertThat(agent.exchange(HttpRequest.newBuilder(agent.url("/v1/tasks/x"))
                                .header("Authorization", "Bearer " + AgentUnderTest.TOKEN))
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void the_card_is_open() throws Exception {
        assertThat(agent.exchange(HttpRequest.newBuilder(agent.url("/.well-known/agent-card.json")))
                        .statusCode())
                .isEqualTo(200);
    }
}
