package ai.molecule.events.hub;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a digest makes of many events, and its bounds. */
class TellingInShortTest {

    private final Digest digest = new Digest();

    @Test
    void it_is_due_before_it_is_larger_than_what_a_slow_reader_may_have_unsent() {
        int added = 0;
        while (!digest.isFull()) {
            added++;
            digest.add(event(
                    "TASK_UPDATED",
                    added,
                    Json.object().put("current_task", "\u20ac".repeat(1_000)).put("active_tasks", 1)));
        }

        int bytes = Json.bytes(digest.take(1, Instant.EPOCH).toEnvelope()).length;

        assertThat(added).isBetween(500, 1_000);
        assertThat(bytes).isLessThan(Outlet.QUEUE_MAX_BYTES);
        assertThat(digest.isEmpty()).isTrue();
        assertThat(digest.isFull()).isFalse();
    }

    @Test
    void of_a_hundred_pairs_the_thirty_that_spoke_last_are_told_each_once() {
        for (int i = 0; i < 100; i++) {
            digest.add(event("DELEGATION_SENT", 1, Json.object().put("target_id", "to " + i)));
            digest.add(event("DELEGATION_SENT", 1, Json.object().put("target_id", "to " + i)));
        }

        var pairs = digest.take(7, Instant.EPOCH).payload().path("pairs");

        assertThat(pairs).hasSize(30);
        assertThat(pairs.get(29)).hasToString("[\"%s\",\"to 99\",2]".formatted(new UUID(0, 1)));
    }

    @Test
    void a_character_is_never_halved() {
        digest.add(event("TASK_UPDATED", 1, Json.object().put("current_task", "\ud83d\ude00".repeat(500))));

        String task = digest.take(1, Instant.EPOCH)
                .payload()
                .at("/workspaces/0/current_task")
                .asText();

        assertThat(task).isEqualTo("\ud83d\ude00".repeat(120));
    }

    @Test
    void an_interval_is_rounded_up_so_that_many_share_few() {
        assertThat(new View(Set.of(), Duration.ofMillis(251)).every()).isEqualTo(Duration.ofMillis(500));
        assertThat(new View(Set.of(), Duration.ofMillis(10_000)).every()).isEqualTo(Duration.ofSeconds(10));
    }

    private static Event event(String type, int workspace, ObjectNode payload) {
        return new Event(null, type, new UUID(0, workspace), Instant.EPOCH, payload);
    }
}
