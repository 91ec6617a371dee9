package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FindingPeersTest {

    @TempDir
    private Path home;

    private ScriptedServer platform;
    private PlatformClient client;

    @BeforeEach
    void startPlatform() throws Exception {
        platform = new ScriptedServer();
        var token = TokenFile.in(home);
        token.save("mine");
        client = new PlatformClient(ClientConfig.of("ws-1", platform.url(), token));
    }

    @AfterEach
    void stopPlatform() {
        platform.close();
    }

    @Test
    void peers_are_listed_in_the_platforms_order_with_defaults_for_what_is_missing() {
        platform.answers(200, """
                [{"id":"b","name":"Bob","role":"critic","tier":3,"status":"online","url":"http://b:1","agent_card":{"name":"Bob"}},
                 {"name":"nobody"},
                 {"id":"c","name":"Cid","role":null,"tier":null,"agent_card":null}]""");

        var peers = client.peers();

        assertThat(peers).extracting(Peer::id).containsExactly("b", "c");
        assertThat(peers.get(0).agentCard().path("name").asText()).isEqualTo("Bob");
        assertThat(peers.get(1).role()).isEmpty();
        assertThat(peers.get(1).tier()).isEqualTo(2);
        assertThat(peers.get(1).status()).isEqualTo("unknown");
        assertThat(peers.get(1).agentCard().isEmpty()).isTrue();
    }

    @Test
    void a_card_that_comes_as_a_text_is_a_card_and_a_parent_is_named() {
        platform.answers(200, """
                [{"id":"b","agent_card":"{\\"name\\":\\"Bob\\"}","parent_id":"a"},{"id":"c","agent_card":"no json","parent_id":null}]""");

        var peers = client.peers();

        assertThat(peers.get(0).agentCard().path("name").asText()).isEqualTo("Bob");
        assertThat(peers).extracting(Peer::parentId).containsExactly("a", "");
        assertThat(peers.get(1).agentCard().isEmpty()).isTrue();
    }

    @Test
    void what_a_parent_shares_is_asked_for_as_oneself_and_then_as_nobody() {
        var workspace = new WorkspaceClient(client.config());
        platform.answers(401, "{\"error\":\"invalid workspace auth token\"}")
                .answers(200, "[{\"path\":\"goal.md\",\"content\":\"Ship it.\"}]");

        assertThat(workspace.sharedContext("lead").path(0).path("content").asText())
                .isEqualTo("Ship it.");

        assertThat(platform.requests)
                .extracting(request -> request.headers().getFirst("Authorization"))
                .containsExactly("Bearer mine", null);
        assertThat(platform.requests.get(1).path()).isEqualTo("/workspaces/lead/shared-context");
        assertThat(platform.requests.get(1).headers().getFirst("X-Workspace-ID"))
                .isEqualTo("ws-1");
    }

    @Test
    void a_platform_without_instructions_has_none() {
        var workspace = new WorkspaceClient(client.config());
        platform.answers(200, "{\"instructions\":\"Be kind.\"}").answers(404, "{\"error\":\"not found\"}");

        assertThat(workspace.instructions()).isEqualTo("Be kind.");
        assertThat(workspace.instructions()).isEmpty();
    }

    @Test
    void a_changed_card_is_told() {
        platform.answers(200, "{\"status\":\"updated\"}");

        client.updateCard(PlatformHttp.JSON.createObjectNode().put("name", "Bob"));

        assertThat(platform.requests.get(0).path()).isEqualTo("/registry/update-card");
        assertThat(platform.requests.get(0).body())
                .isEqualTo("{\"workspace_id\":\"ws-1\",\"agent_card\":{\"name\":\"Bob\"}}");
    }

    @Test
    void the_question_carries_who_asks() {
        platform.answers(200, "[]");

        client.peers();

        var request = platform.requests.get(0);
        assertThat(request.method() + " " + request.path()).isEqualTo("GET /registry/ws-1/peers");
        assertThat(request.headers().getFirst("X-Workspace-ID")).isEqualTo("ws-1");
        assertThat(request.headers().getFirst("Authorization")).isEqualTo("Bearer mine");
    }

    @Test
    void a_peers_address_is_discovered() {
        platform.answers(200, "{\"id\":\"b c\",\"name\":\"Bob\",\"url\":\"http://b:9000\"}");

        assertThat(client.discover("b c")).contains(URI.create("http://b:9000"));

        assertThat(platform.requests.get(0).path()).isEqualTo("/registry/discover/b%20c");
    }

    @Test
    void a_peer_without_an_address_to_call_is_absent() {
        platform.answers(404, "{\"error\":\"workspace not found\"}").answers(200, "{\"url\":\"remote://no-inbound\"}");

        assertThat(client.discover("b")).isEmpty();
        assertThat(client.discover("c")).isEmpty();
    }

    @Test
    void a_peer_one_may_not_talk_to_is_an_error() {
        platform.answers(403, "{\"error\":\"not authorized to discover this workspace\"}");

        assertThatThrownBy(() -> client.discover("b"))
                .isInstanceOfSatisfying(
                        PlatformException.class, e -> assertThat(e.status()).isEqualTo(403));
    }

    @Test
    void a_busy_platform_is_asked_again_after_the_pause_it_names() {
        platform.answers(429, "{\"error\":\"slow down\"}", Map.of("Retry-After", "0"))
                .answers(200, "[]");

        assertThat(client.peers()).isEmpty();

        assertThat(platform.requests).hasSize(2);
    }

    @Test
    void a_platform_that_stays_busy_is_asked_four_times_in_all() {
        for (int i = 0; i < 5; i++) {
            platform.answers(429, "{\"error\":\"slow down\"}", Map.of("Retry-After", "0"));
        }

        assertThatThrownBy(client::peers).hasMessage("platform answered 429: slow down");

        assertThat(platform.requests).hasSize(4);
    }

    @Test
    void pauses_follow_the_platform_or_double_and_are_capped() {
        assertThat(RetryPause.before(1, Optional.of("2.2"), 0.5)).isEqualTo(Duration.ofSeconds(3));
        assertThat(RetryPause.before(1, Optional.of("120"), 0.5)).isEqualTo(Duration.ofSeconds(30));
        assertThat(RetryPause.before(1, Optional.empty(), 0)).isEqualTo(Duration.ofMillis(750));
        assertThat(RetryPause.before(3, Optional.empty(), 1)).isEqualTo(Duration.ofMillis(4250));
        assertThat(RetryPause.before(2, Optional.of("Sat, 21 Nov 2026 10:00:00 GMT"), 0.5))
                .isEqualTo(Duration.ofSeconds(2));
    }
}
