package ai.molecule.runtime.tools;

import static ai.molecule.runtime.tools.ScriptedPlatform.ME;
import static ai.molecule.runtime.tools.ScriptedPlatform.PEER;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformClient;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that nobody pushes: the feed brings them, the tools show them. */
class FetchingMessagesTest {

    private ScriptedPlatform platform;
    private Toolbox toolbox;
    private Thread feed;

    @BeforeEach
    void start() throws IOException {
        platform = new ScriptedPlatform();
        platform.on("POST /registry/heartbeat", 200, "{}");
        platform.on("GET /workspaces/" + ME + "/activity?since_id", 200, "[]");
        platform.on(
                "GET /workspaces/" + ME + "/activity",
                200,
                "["
                        + String.join(
                                ",",
                                row(
                                        "old",
                                        PEER,
                                        "long ago",
                                        Instant.now().minusSeconds(3600).toString()),
                                row("m-0", ME, "my own words", Instant.now().toString()),
                                row("m-1", PEER, "hello", Instant.now().toString()),
                                row("m-2", "", "are you there?", Instant.now().toString()))
                        + "]");
        var inbox = new Inbox();
        toolbox = new Toolbox(new Workspaces(List.of(platform.workspace(ME))), Optional.of(inbox));
        var client = new PlatformClient(ClientConfig.of(ME, platform.url(), new HeldToken("token-of-" + ME)));
        feed = Thread.ofVirtual().start(new InboxFeed(platform.workspace(ME), client, inbox));
    }

    @AfterEach
    void stop() throws InterruptedException {
        feed.interrupt();
        platform.close();
        feed.join();
    }

    @Test
    void the_oldest_message_is_waited_for_and_stays_until_it_is_taken_away() throws Exception {
        var first = Json.MAPPER.readTree(use("wait_for_message", Map.of("timeout_secs", 30)));

        assertThat(first.path("activity_id").asText()).isEqualTo("m-1");
        assertThat(first.path("text").asText()).isEqualTo("hello");
        assertThat(first.path("peer_id").asText()).isEqualTo(PEER);
        assertThat(first.path("kind").asText()).isEqualTo("peer_agent");
        assertThat(use("wait_for_message", Map.of())).contains("\"activity_id\":\"m-1\"");
        assertThat(use("inbox_pop", Map.of("activity_id", "m-1")))
                .isEqualTo("{\"removed\":true,\"activity_id\":\"m-1\"}");
        assertThat(use("inbox_pop", Map.of("activity_id", "m-1"))).startsWith("{\"removed\":false");
        assertThat(use("wait_for_message", Map.of("timeout_secs", 30))).contains("m-2", "canvas_user");
        assertThat(use("inbox_peek", Map.of())).startsWith("[{").contains("m-2");
    }

    @Test
    void waiting_ends_when_nothing_comes() throws Exception {
        var empty = new Toolbox(toolbox.workspaces(), Optional.of(new Inbox()));

        assertThat(Tools.get("wait_for_message").run(empty, Json.object().put("timeout_secs", -1)))
                .isEqualTo("{\"timeout\":true,\"timeout_secs\":0}");
    }

    @Test
    void where_messages_are_pushed_there_is_no_inbox() throws Exception {
        var pushed = new Toolbox(toolbox.workspaces(), Optional.empty());

        assertThat(Tools.get("inbox_peek").run(pushed, Json.object()))
                .startsWith("Error: inbox polling is not enabled in this runtime");
    }

    private String use(String tool, Map<String, ?> arguments) throws InterruptedException {
        return Tools.get(tool).run(toolbox, Json.MAPPER.valueToTree(arguments));
    }

    private static String row(String id, String source, String text, String time) {
        var row = Json.object().put("id", id).put("source_id", source).put("created_at", time);
        row.putObject("data")
                .put("source", source.isEmpty() ? "canvas_user" : "peer_agent")
                .put("text", text);
        return row.toString();
    }
}
