package ai.molecule.events;

import static ai.molecule.events.ActivityFixture.NOON;
import static ai.molecule.events.ActivityFixture.received;
import static ai.molecule.events.ActivityFixture.row;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.activity.ActivityRow;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code GET /workspaces/:id/activity}: the canvas's lists and the feed of polling agents. */
@ExtendWith(VertxExtension.class)
class ListingActivityTest {

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID workspace;

    @SuppressWarnings("NullAway.Init")
    private UUID peer;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx, "EXTERNAL_PLATFORM_URL", "https://platform.example/");
        workspace = service.organisation.add("agent", null);
        peer = service.organisation.add("writer", null);
    }

    @Test
    void a_row_says_null_for_what_is_unknown_and_leaves_out_bodies_that_are_not_there() {
        var id = UUID.randomUUID();
        append(new ActivityRow(
                id,
                workspace,
                "task_update",
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                "ok",
                null,
                null,
                null,
                NOON,
                false));

        assertThat(list(""))
                .isEqualTo(("200 [{\"id\":\"%s\",\"workspace_id\":\"%s\",\"activity_type\":\"task_update\","
                                + "\"source_id\":null,\"target_id\":null,\"method\":null,\"summary\":null,"
                                + "\"duration_ms\":null,\"status\":\"ok\",\"error_detail\":null,"
                                + "\"created_at\":\"2026-03-30T12:00:00.123456Z\"}]")
                        .formatted(id, workspace));
    }

    @Test
    void bodies_and_trace_keep_their_numbers() {
        append(new ActivityRow(
                UUID.randomUUID(),
                workspace,
                "a2a_send",
                peer,
                peer,
                "m",
                "s",
                "{\"n\": 1.10}",
                "[1, 2]",
                "{}",
                7,
                "error",
                "why",
                null,
                null,
                NOON,
                false));

        assertThat(list(""))
                .endsWith("\"duration_ms\":7,\"status\":\"error\",\"error_detail\":\"why\","
                        + "\"created_at\":\"2026-03-30T12:00:00.123456Z\",\"request_body\":{\"n\":1.10},"
                        + "\"response_body\":[1,2],\"tool_trace\":{}}]");
    }

    @Test
    void a_received_message_of_an_agent_carries_the_envelope() {
        var sent = received(workspace, peer, "hello");
        append(sent);

        assertThat(list("?type=a2a_receive"))
                .endsWith(("\"type\":\"a2a_receive\",\"ts\":\"2026-03-30T12:00:00.123456Z\",\"data\":{"
                                + "\"source\":\"peer_agent\",\"kind\":\"peer_agent\",\"text\":\"hello\","
                                + "\"activity_id\":\"%s\",\"peer_id\":\"%s\",\"peer_name\":\"writer\","
                                + "\"peer_role\":\"writer's role\","
                                + "\"agent_card_url\":\"https://platform.example/registry/discover/%s\"}}]")
                        .formatted(sent.id(), peer, peer));
    }

    @Test
    void a_received_message_of_a_person_carries_no_peer() {
        var sent = received(workspace, null, "hello");
        append(sent);

        assertThat(list(""))
                .endsWith("\"data\":{\"source\":\"canvas_user\",\"kind\":\"canvas_user\",\"text\":\"hello\","
                        + "\"activity_id\":\"" + sent.id() + "\"}}]");
    }

    @Test
    void lists_come_newest_first_and_the_bare_feed_in_the_order_of_arrival() {
        append(at("one", 1), at("two", 2), at("three", 3));

        assertThat(summaries("")).containsExactly("three", "two", "one");
        assertThat(summaries("?type=a2a_receive")).containsExactly("one", "two", "three");
        assertThat(summaries("?type=a2a_receive&limit=2")).containsExactly("two", "three");
        assertThat(summaries("?type=a2a_receive&source=agent")).containsExactly("three", "two", "one");
        assertThat(summaries("?type=a2a_receive&peer_id=" + peer)).containsExactly("three", "two", "one");
    }

    @Test
    void the_feed_goes_on_strictly_after_its_cursor_also_among_equal_times() {
        var first = received(workspace, peer, "first");
        append(first, received(workspace, peer, "second"), received(workspace, peer, "third"));

        assertThat(summaries("?type=a2a_receive&since_id=" + first.id())).containsExactly("second", "third");
        assertThat(summaries("?type=a2a_receive&limit=1&since_id=" + first.id()))
                .containsExactly("second");
    }

    @Test
    void an_unknown_cursor_is_gone() {
        var foreign = received(peer, null, "foreign");
        append(foreign);
        String gone = "410 {\"error\":\"since_id is no longer known, start again without it\"}";

        assertThat(list("?since_id=" + UUID.randomUUID())).isEqualTo(gone);
        assertThat(list("?since_id=" + foreign.id())).isEqualTo(gone);
        assertThat(list("?since_id=lost")).isEqualTo(gone);
    }

    @Test
    void an_agents_own_notifications_are_in_the_chat_but_not_in_its_feed() {
        append(
                row(UUID.randomUUID(), workspace, null, "notify", "own", null, null, NOON),
                received(workspace, null, "theirs"));

        assertThat(summaries("?type=a2a_receive")).containsExactly("theirs");
        assertThat(summaries("?type=a2a_receive&source=canvas")).containsExactly("theirs", "own");
        assertThat(service.json(path("?source=canvas")).get(1).has("data")).isFalse();
    }

    @Test
    void what_an_agent_reports_of_its_own_calls_is_shown_but_not_in_its_feed() {
        append(received(workspace, workspace, "to itself"));
        service.post(
                path(""),
                "{\"activity_type\":\"a2a_receive\",\"method\":\"message/send\",\"summary\":\"writer responded\","
                        + "\"source_id\":\"%s\",\"target_id\":\"%s\"}".formatted(workspace, peer));

        assertThat(summaries("?type=a2a_receive")).containsExactly("to itself");
        assertThat(summaries("?source=agent")).containsExactly("writer responded", "to itself");
    }

    @Test
    void what_a_workspace_told_others_stands_with_it_too_among_what_agents_say_once() {
        append(sent("plain", "m1", ""), sent("reported", "m2", ""), received(peer, null, "a person's"));
        append(sent("delegated", "m3", ",\"metadata\":{\"delegation_id\":\"d\"}"));
        service.post(
                path(""),
                "{\"activity_type\":\"a2a_send\",\"message_id\":\"m2\",\"summary\":\"its own words\",\"target_id\":\"%s\"}"
                        .formatted(peer));

        assertThat(summaries("?source=agent")).containsExactly("its own words", "plain");
        assertThat(summaries("?source=agent&type=a2a_send")).containsExactly("its own words", "plain");
        assertThat(summaries("?source=agent&limit=1")).containsExactly("its own words");
        assertThat(summaries("?source=agent&since_secs=3600")).containsExactly("its own words");
        assertThat(summaries("?source=agent&peer_id=" + UUID.randomUUID())).isEmpty();
        assertThat(summaries("?source=agent&type=a2a_receive")).isEmpty();
        assertThat(summaries("")).containsExactly("its own words");
        var plain = service.json(path("?source=agent")).get(1);
        assertThat(plain.path("activity_type").asText()).isEqualTo("a2a_send");
        assertThat(plain.path("workspace_id").asText()).isEqualTo(workspace.toString());
        assertThat(plain.path("target_id").asText()).isEqualTo(peer.toString());
        assertThat(plain.path("request_body").toString()).contains("words of plain");
    }

    @Test
    void a_report_of_the_same_message_is_kept_once() {
        String report = "{\"activity_type\":\"a2a_send\",\"message_id\":\"m\",\"summary\":\"said\"}";
        service.post(path(""), report);
        service.post(path(""), report);

        assertThat(summaries("")).containsExactly("said");
    }

    @Test
    void the_text_is_found_wherever_clients_put_their_parts() {
        append(
                asked(
                        "{\"params\":{\"message\":{\"parts\":[{\"type\":\"text\",\"text\":\"a\"},{\"root\":{\"text\":\"b\"}}]}}}"),
                asked("{\"params\":{\"parts\":[{\"kind\":\"text\",\"text\":\"c\"}]}}"),
                asked("{\"parts\":[{\"kind\":\"text\",\"text\":\"d\"}]}"));

        assertThat(service.json(path("?type=a2a_receive")))
                .extracting(row -> row.path("data").path("text").asText())
                .containsExactly("a\nb", "c", "d");
    }

    @Test
    void people_and_agents_are_told_apart_by_source() {
        append(received(workspace, null, "person"), received(workspace, peer, "agent"));

        assertThat(summaries("?source=canvas")).containsExactly("person");
        assertThat(summaries("?source=agent")).containsExactly("agent");
        assertThat(list("?source=robot")).isEqualTo("400 {\"error\":\"source must be 'canvas' or 'agent'\"}");
    }

    @Test
    void a_history_is_cut_by_peer_and_time() {
        append(at("old", 1), at("new", 2), received(workspace, UUID.randomUUID(), "other"));

        assertThat(summaries("?peer_id=" + peer + "&before_ts=2026-03-30T14:00:02.123456%2B02:00"))
                .containsExactly("old");
        assertThat(summaries("?peer_id=" + peer + "&before_ts=2026-03-30T12:00:02.123456Z"))
                .containsExactly("old");
        assertThat(list("?before_ts=yesterday")).isEqualTo("400 {\"error\":\"before_ts must be an RFC3339 time\"}");
        assertThat(list("?peer_id=bob")).isEqualTo("400 {\"error\":\"peer_id must be a valid UUID\"}");
    }

    @Test
    void recent_rows_can_be_asked_for() {
        append(at("long ago", 0));
        service.post(path(""), "{\"activity_type\":\"agent_log\",\"summary\":\"now\"}");

        assertThat(summaries("?since_secs=3600")).containsExactly("now");
        assertThat(list("?since_secs=0")).isEqualTo("400 {\"error\":\"since_secs must be a positive integer\"}");
    }

    @Test
    void a_bad_limit_counts_as_the_default_and_an_unknown_workspace_has_none() {
        append(at("one", 1));

        assertThat(summaries("?limit=x")).hasSize(1);
        assertThat(summaries("?limit=-3")).hasSize(1);
        assertThat(service.get("/workspaces/" + UUID.randomUUID() + "/activity"))
                .isEqualTo("200 []");
        assertThat(service.get("/workspaces/me/activity")).isEqualTo("400 {\"error\":\"invalid workspace ID\"}");
    }

    private ActivityRow at(String summary, int seconds) {
        Instant time = NOON.plusSeconds(seconds);
        return row(UUID.randomUUID(), workspace, peer, "message/send", summary, null, null, time);
    }

    private ActivityRow sent(String summary, String messageId, String more) {
        String request =
                "{\"params\":{\"message\":{\"messageId\":\"%s\",\"parts\":[{\"kind\":\"text\",\"text\":\"words of %s\"}]%s}}}"
                        .formatted(messageId, summary, more);
        return row(UUID.randomUUID(), peer, workspace, "message/send", summary, request, null, NOON);
    }

    private ActivityRow asked(String request) {
        return row(UUID.randomUUID(), workspace, null, "message/send", "asked", request, null, NOON);
    }

    private void append(ActivityRow... rows) {
        service.append(List.of(rows)).await();
    }

    private String path(String query) {
        return "/workspaces/" + workspace + "/activity" + query;
    }

    private String list(String query) {
        return service.get(path(query));
    }

    private List<String> summaries(String query) {
        List<String> summaries = new ArrayList<>();
        service.json(path(query))
                .forEach(row -> summaries.add(row.path("summary").asText()));
        return summaries;
    }
}
