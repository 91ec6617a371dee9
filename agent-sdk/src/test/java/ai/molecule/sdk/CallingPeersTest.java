package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Through the platform, or directly where that is asked for; and tasks handed over. */
class CallingPeersTest {

    @TempDir
    private Path home;

    private ScriptedServer platform;
    private ScriptedServer peer;
    private RemoteAgentClient agent;

    @BeforeEach
    void join() throws Exception {
        platform = new ScriptedServer();
        peer = new ScriptedServer();
        agent = RemoteAgentClient.builder("me", platform.url())
                .tokenFolder(home)
                .build();
        agent.saveToken("mine");
    }

    @AfterEach
    void leave() {
        platform.close();
        peer.close();
    }

    @Test
    void a_peer_is_called_through_the_platform_whatever_its_address() {
        platform.answers(200, "{\"result\":{\"parts\":[{\"text\":\"one\"}]}}");

        var answer = agent.callPeer("p1", "hello");

        assertThat(A2aAnswer.fromResponse(answer).text()).isEqualTo("one");
        var request = platform.requests.get(0);
        assertThat(request.path()).isEqualTo("/workspaces/p1/a2a");
        assertThat(request.headers().getFirst("X-Workspace-ID")).isEqualTo("me");
        assertThat(request.headers().getFirst("Authorization")).isEqualTo("Bearer mine");
        assertThat(peer.requests).isEmpty();
    }

    @Test
    void an_address_on_the_platform_is_the_platforms_to_deliver_to_and_never_dialled_as_it_stands() {
        platform.answers(200, "{\"url\":\"" + platform.url() + "/workspaces/me/pause\"}")
                .answers(200, "{\"result\":{}}");

        agent.callPeer("p1", "hello", true);

        assertThat(platform.requests.get(1).path()).isEqualTo("/workspaces/p1/a2a");
    }

    @Test
    void a_peer_called_directly_learns_no_token_and_its_address_is_remembered() {
        platform.answers(200, "{\"id\":\"p1\",\"url\":\"" + peer.url() + "/here\"}")
                .answers(201, "{\"status\":\"logged\"}")
                .answers(503, "{\"error\":\"platform datastore unavailable\"}");
        peer.answers(200, "{\"result\":{\"parts\":[{\"text\":\"one\"}]}}").answers(200, "{\"result\":{}}");

        var answer = agent.callPeer("p1", "hello", true);
        agent.callPeer("p1", "again", true);

        assertThat(A2aAnswer.fromResponse(answer).text()).isEqualTo("one");
        assertThat(platform.requests)
                .extracting(each -> each.path())
                .containsExactly("/registry/discover/p1", "/workspaces/me/activity", "/workspaces/me/activity");
        var noted = platform.requests.get(1).json();
        assertThat(noted.path("activity_type").asText()).isEqualTo("a2a_send");
        assertThat(noted.at("/request_body/task").asText()).isEqualTo("hello");
        assertThat(noted.at("/response_body/result/parts/0/text").asText()).isEqualTo("one");
        var request = peer.requests.get(0);
        assertThat(request.path()).isEqualTo("/here");
        assertThat(request.headers().getFirst("X-Workspace-ID")).isEqualTo("me");
        assertThat(request.headers()).doesNotContainKey("Authorization");
        assertThat(request.json().at("/params/message/role").asText()).isEqualTo("user");
    }

    @Test
    void whatever_goes_wrong_directly_the_platform_delivers_the_same_message() {
        platform.answers(200, "{\"url\":\"" + peer.url() + "\"}").answers(200, "{\"result\":{\"status\":\"queued\"}}");
        peer.answers(500, "broken");

        var answer = agent.callPeer("p1", "hello", true);

        assertThat(answer.at("/result/status").asText()).isEqualTo("queued");
        var relayed = platform.requests.get(1);
        assertThat(relayed.path()).isEqualTo("/workspaces/p1/a2a");
        assertThat(relayed.body()).isEqualTo(peer.requests.get(0).body());
    }

    @Test
    void a_peer_without_an_address_is_called_through_the_platform() {
        platform.answers(404, "{\"error\":\"workspace has no URL\"}").answers(403, "{\"error\":\"access denied\"}");

        assertThatThrownBy(() -> agent.callPeer("p1", "hello", true))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("access denied");
    }

    @Test
    void listed_peers_need_no_discovery_until_they_are_forgotten() {
        platform.answers(
                        200,
                        "[{\"id\":\"p1\",\"url\":\"http://p1:1\"},{\"id\":\"p2\",\"url\":\"remote://no-inbound\"}]")
                .answers(404, "{}");

        agent.getPeers();

        assertThat(agent.discoverPeer("p1")).contains(URI.create("http://p1:1"));
        agent.invalidatePeerUrl("p1");
        assertThat(agent.discoverPeer("p1")).isEmpty();
        assertThat(platform.requests).hasSize(2);
    }

    @Test
    void an_address_is_forgotten_after_its_time() {
        var start = Instant.EPOCH;
        var now = new Instant[] {start};
        var clock = new Clock() {
            @Override
            public ZoneOffset getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(java.time.ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now[0];
            }
        };
        var urls = new PeerUrls(Duration.ofSeconds(300), clock);
        urls.put("p", URI.create("http://p"));

        now[0] = start.plusSeconds(299);
        assertThat(urls.find("p")).isPresent();
        now[0] = start.plusSeconds(300);
        assertThat(urls.find("p")).isEmpty();
    }

    @Test
    void a_task_is_handed_over_under_this_minutes_key() {
        platform.answers(202, "{\"delegation_id\":\"d1\",\"status\":\"delegated\"}");

        assertThat(agent.delegate("do", "p1").path("delegation_id").asText()).isEqualTo("d1");

        var request = platform.requests.get(0);
        assertThat(request.path()).isEqualTo("/workspaces/p1/delegate");
        assertThat(request.headers().getFirst("X-Workspace-ID")).isEqualTo("me");
        assertThat(request.json().fieldNames()).toIterable().containsExactly("task", "idempotency_key");
        assertThat(IdempotencyKeys.forTask("do", Instant.ofEpochSecond(1_700_000_075)))
                .isEqualTo("8519853274c416e19cc9cbffd7abb69ed87518210decb120c2b130604d975a13");
    }

    @Test
    void secrets_are_read_by_name() {
        platform.answers(200, "{\"A\":\"1\",\"B\":\"2\"}").answers(200, "null");

        assertThat(agent.pullSecrets()).containsEntry("A", "1").hasSize(2);
        assertThat(agent.pullSecrets()).isEmpty();
        assertThat(platform.requests.get(0).path()).isEqualTo("/workspaces/me/secrets/values");
    }

    @Test
    void any_404_means_deleted_and_any_other_failure_does_not() {
        platform.answers(404, "nonsense")
                .answers(200, "{\"status\":\"paused\",\"paused\":true}")
                .answers(401, "{\"error\":\"no\"}");

        assertThat(agent.pollState()).isEqualTo(new WorkspaceState("me", "removed", false, true));
        assertThat(agent.pollState().shouldStop()).isTrue();
        assertThatThrownBy(agent::pollState).isInstanceOf(PlatformException.class);
    }
}
