package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows become messages, and answers go to whoever wrote them. */
class ReadingAndReplyingTest {

    @TempDir
    private Path home;

    private ScriptedServer platform;
    private RemoteAgentClient agent;

    @BeforeEach
    void join() throws Exception {
        platform = new ScriptedServer();
        agent = RemoteAgentClient.builder("me", platform.url())
                .tokenFolder(home)
                .orgId("acme")
                .build();
        agent.saveToken("mine");
    }

    @AfterEach
    void leave() {
        platform.close();
    }

    @Test
    void a_row_is_read_with_what_the_platform_knows_about_the_peer() {
        platform.answers(200, """
                {"items":[{"id":"1","source_id":"p1","data":{"source":"peer_agent","text":"hi","peer_name":"Ann","peer_role":"critic","agent_card_url":"http://x/p1"}},
                 {"text":"no id"},"nonsense",{"id":"2","data":7}]}""");

        var messages = agent.fetchInbound(InboundQuery.newest(5));

        assertThat(messages).extracting(InboundMessage::activityId).containsExactly("1", "2");
        assertThat(messages.get(0))
                .extracting("source", "sourceId", "text", "peerName", "peerRole", "agentCardUrl")
                .containsExactly(InboundSource.PEER_AGENT, "p1", "hi", "Ann", "critic", "http://x/p1");
        assertThat(messages.get(1).source()).isEqualTo(InboundSource.UNKNOWN);
        assertThat(messages.get(1).text()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "canvas_user,,CANVAS_USER", "user,,CANVAS_USER", "peer_agent,p1,PEER_AGENT", ",p1,PEER_AGENT",
        ",user,CANVAS_USER", ",,UNKNOWN", "other,,UNKNOWN", "other,p1,PEER_AGENT"
    })
    void who_wrote_it_is_read_from_the_kind_and_else_from_the_source(
            String kind, String sourceId, InboundSource expected) {
        var row = new ObjectMapper()
                .createObjectNode()
                .put("id", "1")
                .put("source", kind)
                .put("source_id", sourceId);

        assertThat(InboundMessage.fromRow(row).orElseThrow().source()).isEqualTo(expected);
    }

    @Test
    void every_filter_is_sent() {
        platform.answers(200, "null");

        var messages = agent.fetchInbound(InboundQuery.newest(7)
                .ofType("a2a_send")
                .since("r 1")
                .withPeer("p1")
                .before(Instant.parse("2026-01-02T03:04:05Z"))
                .waiting(Duration.ofSeconds(3)));

        assertThat(messages).isEmpty();
        var request = platform.requests.get(0);
        assertThat(request.path())
                .isEqualTo("/workspaces/me/activity?type=a2a_send&limit=7&since_id=r%201&peer_id=p1"
                        + "&before_ts=2026-01-02T03%3A04%3A05Z&wait=3");
        assertThat(request.headers().getFirst("Authorization")).isEqualTo("Bearer mine");
        assertThat(request.headers().getFirst("X-Molecule-Org-Id")).isEqualTo("acme");
    }

    @Test
    void a_forgotten_cursor_is_told_apart_also_after_a_429() {
        platform.answers(429, "{}", java.util.Map.of("Retry-After", "0")).answers(410, "{\"error\":\"gone\"}");

        assertThatThrownBy(() -> agent.fetchInbound(InboundQuery.newest(1).since("x")))
                .isInstanceOf(CursorLostException.class);
    }

    @Test
    void a_peer_is_answered_as_an_agent_and_a_person_through_the_canvas() {
        platform.answers(200, "{}").answers(200, "{}");

        agent.reply(message(InboundSource.PEER_AGENT, "p1"), "yes");
        agent.reply(message(InboundSource.CANVAS_USER, ""), "no");

        var peer = platform.requests.get(0);
        assertThat(peer.path()).isEqualTo("/workspaces/p1/a2a");
        assertThat(peer.headers().getFirst("X-Source-Workspace-Id")).isEqualTo("me");
        assertThat(peer.headers().getFirst("X-Workspace-ID")).isEqualTo("me");
        assertThat(peer.json().at("/params/message/role").asText()).isEqualTo("agent");
        assertThat(peer.json().at("/params/message/parts/0/text").asText()).isEqualTo("yes");
        assertThat(platform.requests.get(1).path()).isEqualTo("/workspaces/me/notify");
        assertThat(platform.requests.get(1).body()).isEqualTo("{\"message\":\"no\"}");
    }

    @Test
    void whatever_a_peer_says_to_an_answer_the_answer_has_arrived() {
        platform.answers(200, "thanks").answers(503, "<html>");

        agent.reply(message(InboundSource.PEER_AGENT, "p1"), "yes");

        assertThatThrownBy(() -> agent.reply(message(InboundSource.PEER_AGENT, "p1"), "yes"))
                .isInstanceOf(PlatformException.class);
    }

    @Test
    void nothing_is_sent_to_nobody() {
        assertThatThrownBy(() -> agent.reply(message(InboundSource.UNKNOWN, ""), "x"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> agent.reply(message(InboundSource.PEER_AGENT, ""), "x"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> agent.reply(message(InboundSource.CANVAS_USER, ""), " "))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(platform.requests).isEmpty();
    }

    private static InboundMessage message(InboundSource source, String sourceId) {
        return new InboundMessage("1", source, sourceId, "", new ObjectMapper().nullNode(), "", "", "");
    }
}
