package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code POST /workspaces/:id/notify}. */
@ExtendWith(VertxExtension.class)
class NotifyingUsersTest {

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID workspace;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
        workspace = service.organisation.add("scout", null);
    }

    @Test
    void a_message_is_shown_live_and_kept_in_the_shape_the_chat_reloads() {
        var canvas = service.canvas("");

        assertThat(send("{\"message\":\"done\",\"type\":\"x\"}")).isEqualTo("200 {\"status\":\"sent\"}");

        await().until(() -> canvas.heard.size() == 1);
        assertThat(canvas.heard.getFirst())
                .contains("\"event\":\"AGENT_MESSAGE\"")
                .endsWith("\"payload\":{\"message\":\"done\",\"workspace_id\":\"%s\",\"name\":\"scout\"}}"
                        .formatted(workspace));
        assertThat(service.get("/workspaces/" + workspace + "/activity?type=a2a_receive&source=canvas"))
                .contains(
                        "\"source_id\":null,\"target_id\":null,\"method\":\"notify\",\"summary\":\"Agent message: done\"")
                .contains("\"response_body\":{\"result\":\"done\"}")
                .doesNotContain("request_body");
    }

    @Test
    void attachments_become_file_parts() {
        var canvas = service.canvas("");

        send(
                "{\"message\":\"see\",\"attachments\":[{\"uri\":\"workspace:/a\",\"name\":\"a\",\"mimeType\":\"\",\"size\":0},"
                        + "{\"uri\":\"workspace:/b\",\"name\":\"b\",\"mimeType\":\"text/plain\",\"size\":3,\"more\":1}]}");

        await().until(() -> canvas.heard.size() == 1);
        assertThat(canvas.heard.getFirst())
                .contains("\"attachments\":[{\"uri\":\"workspace:/a\",\"name\":\"a\"},"
                        + "{\"uri\":\"workspace:/b\",\"name\":\"b\",\"mimeType\":\"text/plain\",\"size\":3}]");
        var body = service.json("/workspaces/" + workspace + "/activity").get(0).path("response_body");
        assertThat(body.path("parts").get(1).path("kind").asText()).isEqualTo("file");
        assertThat(body.path("parts").get(1).path("file").path("size").asInt()).isEqualTo(3);
    }

    @Test
    void a_long_message_is_summarised_without_splitting_a_character() {
        send("{\"message\":\"" + "ä".repeat(39) + "😀 and more\"}");

        assertThat(service.json("/workspaces/" + workspace + "/activity")
                        .get(0)
                        .path("summary")
                        .asText())
                .isEqualTo("Agent message: " + "ä".repeat(39) + "…");
    }

    @Test
    void a_bad_notification_is_refused_whole() {
        var canvas = service.canvas("");

        assertThat(send("{}")).isEqualTo("400 {\"error\":\"message is required\"}");
        assertThat(send("{\"message\":\"\"}")).isEqualTo("400 {\"error\":\"message is required\"}");
        assertThat(send("{\"message\":5}")).isEqualTo("400 {\"error\":\"message is required\"}");
        assertThat(send("{\"message\":\"x\",\"attachments\":[{\"uri\":\"u\",\"name\":\"n\"},{\"uri\":\"u\"}]}"))
                .isEqualTo("400 {\"error\":\"attachment[1]: uri and name are required\"}");
        assertThat(send("{\"message\":\"x\",\"attachments\":{}}")).startsWith("400 ");

        service.live("MARK", workspace);
        await().until(() -> canvas.types().equals(java.util.List.of("MARK")));
        assertThat(service.get("/workspaces/" + workspace + "/activity")).isEqualTo("200 []");
    }

    @Test
    void an_unknown_or_removed_workspace_says_nothing() {
        service.organisation.put(new Entry(workspace, null, "scout", null, WorkspaceStatus.REMOVED, true));

        assertThat(send("{\"message\":\"x\"}")).isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertThat(service.post("/workspaces/" + UUID.randomUUID() + "/notify", "{\"message\":\"x\"}"))
                .isEqualTo("404 {\"error\":\"workspace not found\"}");
    }

    private String send(String body) {
        return service.post("/workspaces/" + workspace + "/notify", body);
    }
}
