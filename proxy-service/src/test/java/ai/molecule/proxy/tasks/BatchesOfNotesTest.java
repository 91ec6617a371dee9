package ai.molecule.proxy.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.proxy.tasks.TaskNote.Begun;
import ai.molecule.proxy.tasks.TaskNote.Over;
import ai.molecule.proxy.tasks.TaskNote.Whole;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What has to be there before something else is written comes before it, and everything else at once. */
class BatchesOfNotesTest {

    private final AgentsAtWork atWork = new AgentsAtWork();
    private final UUID lead = UUID.randomUUID();
    private final UUID helper = UUID.randomUUID();

    @Test
    void tasks_that_are_over_are_written_together_and_once() {
        var one = begun(lead, null, "m-1", null);
        var other = begun(helper, null, "m-2", null);

        var batch = TaskBatch.of(List.of(whole(one), whole(other)), atWork);

        assertThat(batch.waves()).hasSize(1);
        assertThat(batch.waves().getFirst()).hasSize(2).allMatch(row -> row.over() != null);
        assertThat(batch.ends()).isEmpty();
    }

    @Test
    void what_an_agent_hands_on_is_written_after_what_it_is_at() {
        atWork.add(lead);
        var asked = begun(lead, null, "m-1", null);
        var handedOn = begun(helper, lead, "m-2", null);

        var batch = TaskBatch.of(List.of(asked, whole(handedOn)), atWork);

        assertThat(batch.waves()).extracting(wave -> wave.getFirst().begun()).containsExactly(asked, handedOn);
    }

    @Test
    void agents_that_are_at_no_work_wait_for_nobody() {
        var batch = TaskBatch.of(
                List.of(whole(begun(lead, helper, "m-1", null)), whole(begun(helper, lead, "m-2", null))), atWork);

        assertThat(batch.waves()).hasSize(1);
    }

    @Test
    void a_message_in_a_context_is_written_after_the_one_before_it() {
        atWork.add(lead);
        var first = begun(lead, null, "m-1", "c-1");
        var second = begun(lead, null, "m-2", "c-1");

        assertThat(TaskBatch.of(List.of(first, second), atWork).waves()).hasSize(2);
    }

    @Test
    void an_end_of_a_message_that_began_twice_comes_after_both_begins() {
        var first = begun(lead, null, "m-1", null);
        var again = begun(lead, null, "m-1", null);

        var batch = TaskBatch.of(List.of(first, whole(again)), atWork);

        assertThat(batch.waves().getFirst()).hasSize(2).allMatch(row -> row.over() == null);
        assertThat(batch.ends()).extracting(Over::id).containsExactly(again.id());
    }

    @Test
    void of_begins_that_linger_the_oldest_make_room_for_more_than_there_is_room_for() {
        var begins = new LingeringBegins();
        var oldest = begun(lead, null, "m-0", null);
        assertThat(begins.hold(oldest, 1)).isEmpty();
        for (int i = 1; i < LingeringBegins.BEGINS_MAX; i++) {
            assertThat(begins.hold(begun(helper, null, "m-" + i, null), 2)).isEmpty();
        }

        assertThat(begins.hold(begun(helper, null, "m-x", null), 3)).containsExactly(oldest);
        assertThat(begins.takeAt(lead, any -> true)).isEmpty();
        assertThat(begins.takeOlderThan(3)).hasSize(LingeringBegins.BEGINS_MAX - 1);
        assertThat(begins.takeAll()).hasSize(1);
        assertThat(begins.isEmpty()).isTrue();
    }

    @Test
    void large_begins_are_bounded_by_their_bytes() {
        var begins = new LingeringBegins();
        int held = 0;
        while (begins.hold(large(), held).isEmpty()) {
            held++;
        }

        assertThat((long) held).isEqualTo(LingeringBegins.BYTES_MAX / large().bytes());
    }

    private Begun large() {
        return new Begun(UUID.randomUUID(), lead, null, null, null, null, null, "w".repeat(64 * 1024), Instant.EPOCH);
    }

    private static Whole whole(Begun begun) {
        return new Whole(
                begun,
                new Over(
                        begun.id(),
                        begun.target(),
                        begun.caller(),
                        begun.messageId(),
                        null,
                        "ok",
                        "done",
                        null,
                        Instant.EPOCH));
    }

    private static Begun begun(UUID target, @Nullable UUID caller, String message, @Nullable String context) {
        return new Begun(UUID.randomUUID(), target, caller, message, null, context, null, "please", Instant.EPOCH);
    }
}
