package ai.molecule.events;

import static ai.molecule.events.ActivityFixture.NOON;
import static ai.molecule.events.ActivityFixture.received;
import static ai.molecule.events.ActivityFixture.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract that other services store activity through. */
@ExtendWith(VertxExtension.class)
class AppendingActivityTest {

    private static final UUID PEER = UUID.randomUUID();

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    private final UUID workspace = UUID.randomUUID();

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
    }

    @Test
    void new_rows_are_stored_and_announced_in_order() {
        var canvas = service.canvas("");
        List<ActivityRow> rows = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            rows.add(received(workspace, PEER, "m" + i));
        }

        int stored = append(rows);

        assertThat(stored).isEqualTo(128);
        await().until(() -> canvas.heard.size() == 128);
        assertThat(canvas.events())
                .extracting(event -> event.path("payload").path("summary").asText())
                .isEqualTo(rows.stream().map(ActivityRow::summary).toList());
        assertThat(canvas.heard.getFirst())
                .contains("\"event\":\"ACTIVITY_LOGGED\",\"workspace_id\":\"" + workspace + "\"")
                .endsWith(
                        ("\"payload\":{\"activity_type\":\"a2a_receive\",\"method\":\"message/send\",\"summary\":\"m0\","
                                        + "\"status\":\"ok\",\"source_id\":\"%s\",\"target_id\":\"%s\",\"duration_ms\":12}}")
                                .formatted(PEER, workspace));
        assertThat(summaries("?type=a2a_receive&limit=128"))
                .isEqualTo(rows.stream().map(ActivityRow::summary).toList());
    }

    @Test
    void a_repeated_row_is_neither_stored_nor_announced_again() {
        var canvas = service.canvas("");
        var first = received(workspace, PEER, "first");
        var second = received(workspace, PEER, "second");

        assertThat(append(List.of(first, first))).isEqualTo(1);
        assertThat(append(List.of(first, second))).isEqualTo(1);

        await().until(() -> canvas.heard.size() == 2);
        assertThat(service.json("/workspaces/" + workspace + "/activity").size())
                .isEqualTo(2);
    }

    @Test
    void an_idempotency_key_counts_within_its_workspace() {
        var one = row(UUID.randomUUID(), workspace, PEER, "m", "one", null, "key", NOON);
        var again = row(UUID.randomUUID(), workspace, PEER, "m", "again", null, "key", NOON);
        var elsewhere = row(UUID.randomUUID(), UUID.randomUUID(), PEER, "m", "elsewhere", null, "key", NOON);

        assertThat(append(List.of(one, again, elsewhere))).isEqualTo(2);
        assertThat(append(List.of(again))).isZero();
        assertThat(summaries("")).containsExactly("one");
    }

    @Test
    void a_value_that_cannot_be_stored_costs_only_itself() {
        var good = received(workspace, PEER, "good");
        var nul = row(
                UUID.randomUUID(), workspace, PEER, "m", "a\0b", "{\"text\":\"\\u0000\"}", null, NOON.plusSeconds(1));
        var huge = row(UUID.randomUUID(), workspace, PEER, "m", "huge", "1e999999", null, NOON.plusSeconds(2));
        var notJson = row(UUID.randomUUID(), workspace, PEER, "m", "not json", "{", null, NOON.plusSeconds(3));

        assertThat(append(List.of(good, nul, huge, notJson))).isEqualTo(4);

        var rows = service.json("/workspaces/" + workspace + "/activity");
        assertThat(summaries("")).containsExactly("not json", "huge", "a\uFFFDb", "good");
        assertThat(rows.get(0).has("request_body")).isFalse();
        assertThat(rows.get(3).has("request_body")).isTrue();
    }

    @Test
    void a_batch_that_is_too_large_is_refused_whole() {
        var rows = Collections.nCopies(129, received(workspace, PEER, "m"));

        assertThatThrownBy(() -> append(rows)).isInstanceOf(ApiError.class).hasMessageContaining("128");
        assertThat(summaries("")).isEmpty();
    }

    private int append(List<ActivityRow> rows) {
        return service.append(rows).await();
    }

    private List<String> summaries(String query) {
        List<String> summaries = new ArrayList<>();
        service.json("/workspaces/" + workspace + "/activity" + query)
                .forEach(row -> summaries.add(row.path("summary").asText()));
        return summaries;
    }
}
