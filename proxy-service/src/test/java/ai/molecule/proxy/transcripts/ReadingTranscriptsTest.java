package ai.molecule.proxy.transcripts;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /workspaces/:id/transcript}: the agent is asked, and what it says is passed on. */
@ExtendWith(VertxExtension.class)
class ReadingTranscriptsTest {

    private static final String ROOT = "the-admin-token";

    @SuppressWarnings("NullAway.Init")
    private static ProxyUnderTest proxy;

    @BeforeAll
    static void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx, "ADMIN_TOKEN", ROOT);
        proxy.platform.signature = "signed";
    }

    @Test
    void an_agent_is_asked_with_its_own_token_and_for_a_person_by_the_platform() {
        var id = proxy.agent(request -> json(
                request.response(),
                "{\"asked\":\"%s %s\",\"target\":\"%s\"}"
                        .formatted(
                                request.uri(),
                                request.getHeader("Authorization"),
                                request.getHeader("X-Molecule-Target"))));
        String token = proxy.platform.tokenOf(id);

        assertThat(transcript(id, "?since=3&limit=7", token))
                .isEqualTo("200 {\"asked\":\"/transcript?since=3&limit=7 Bearer %s\",\"target\":\"%s\"}"
                        .formatted(token, id));
        assertThat(transcript(id, "", ROOT))
                .isEqualTo("200 {\"asked\":\"/transcript?since=0&limit=100 Bearer null.%s.signed\",\"target\":\"%s\"}"
                        .formatted(id, id));
        assertThat(transcript(id, "", proxy.platform.tokenOf(UUID.randomUUID())))
                .startsWith("401 ");
    }

    @Test
    void what_an_agent_refuses_is_told_as_it_says_it() {
        var id = proxy.agent(request -> request.response().setStatusCode(401).end("{\"error\":\"unauthorized\"}"));

        assertThat(transcript(id, "", ROOT)).isEqualTo("401 {\"error\":\"unauthorized\"}");
    }

    @Test
    void who_is_not_there_has_none() {
        var silent = proxy.platform.workspaceAt("http://127.0.0.1:1");
        var poll = proxy.platform.workspaceAt("remote://no-inbound");
        var inside = proxy.platform.workspace("http://10.0.0.1:80", false, WorkspaceStatus.ONLINE, false);

        assertThat(transcript(UUID.randomUUID(), "", ROOT)).isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertThat(transcript(silent, "", ROOT)).isEqualTo("502 {\"error\":\"workspace unreachable\"}");
        assertThat(transcript(poll, "", ROOT))
                .isEqualTo("503 {\"error\":\"workspace not registered (no URL on file)\"}");
        assertThat(transcript(inside, "", ROOT))
                .isEqualTo("502 {\"error\":\"workspace URL is not publicly routable\"}");
    }

    @Test
    void one_that_is_too_long_is_not_passed_on() {
        var id = proxy.agent(request -> request.response().end("x".repeat(1024 * 1024 + 1)));

        assertThat(transcript(id, "", ROOT))
                .isEqualTo("502 {\"error\":\"transcript exceeds 1 MiB: ask for fewer lines\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"?since=x", "?limit=1.5", "?limit=", "?since=-1"})
    void what_is_no_number_is_refused(String query) {
        var id = proxy.agentSaying("{}");

        assertThat(transcript(id, query, ROOT)).isEqualTo("400 {\"error\":\"since and limit must be integers\"}");
    }

    private static String transcript(UUID id, String query, String token) {
        return seen(proxy.client
                .get("/workspaces/" + id + "/transcript" + query)
                .putHeader("Authorization", "Bearer " + token)
                .send()
                .await());
    }
}
