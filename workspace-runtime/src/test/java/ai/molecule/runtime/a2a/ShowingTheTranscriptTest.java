package ai.molecule.runtime.a2a;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happened in an agent's session is shown to whoever has its token. */
class ShowingTheTranscriptTest {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @Test
    void it_comes_in_parts() throws Exception {
        assertThat(get("?since=1&limit=2", "Bearer " + AgentUnderTest.TOKEN).body())
                .isEqualTo("{\"runtime\":\"scripted\",\"supported\":true,\"lines\":[{\"line\":1},{\"line\":2}],"
                        + "\"cursor\":3,\"more\":true,\"source\":\"memory\"}");
        assertThat(get("", "Bearer " + AgentUnderTest.TOKEN).body()).contains("\"cursor\":5,\"more\":false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer other", "bearer token-of-ws-1", "token-of-ws-1"})
    void others_do_not_see_it(String authorization) throws Exception {
        var answer = get("", authorization);

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.body()).isEqualTo("{\"error\":\"unauthorized\"}");
    }

    @Test
    void nobody_sees_it_while_there_is_no_token() throws Exception {
        agent.token = Optional.empty();

        assertThat(get("", "Bearer ").statusCode()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"?since=x", "?limit=1.5", "?limit="})
    void what_is_no_number_is_refused(String query) throws Exception {
        var answer = get(query, "Bearer " + AgentUnderTest.TOKEN);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).isEqualTo("{\"error\":\"since and limit must be integers\"}");
    }

    private HttpResponse<String> get(String query, String authorization) throws Exception {
        return agent.exchange(
                HttpRequest.newBuilder(agent.url("/transcript" + query)).header("Authorization", authorization));
    }
}
