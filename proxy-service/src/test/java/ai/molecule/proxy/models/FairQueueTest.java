package ai.molecule.proxy.models;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Turns go to who has had least, whoever asks most. */
class FairQueueTest {

    private static final UUID GREEDY = new UUID(0, 1);
    private static final UUID MODEST = new UUID(0, 2);

    private final FairQueue<String> queue = new FairQueue<>();

    @Test
    void who_comes_later_is_not_behind_all_of_anothers() {
        for (int i = 0; i < 4; i++) {
            queue.add(GREEDY, 1, "g");
        }
        serve();
        queue.add(MODEST, 1, "m");
        queue.add(MODEST, 1, "m");

        assertThat(serve() + serve() + serve() + serve() + serve()).isIn("mgmgg", "gmgmg");
        assertThat(queue.take()).isNull();
    }

    @Test
    void dear_turns_come_less_often() {
        for (int i = 0; i < 3; i++) {
            queue.add(GREEDY, 3, "g");
            queue.add(MODEST, 1, "m");
        }
        serve();
        serve();

        assertThat(serve() + serve()).isEqualTo("mm");
    }

    @Test
    void what_a_turn_cost_more_is_remembered() {
        queue.add(GREEDY, 1, "g");
        serve();
        queue.charge(GREEDY, 10);
        queue.add(GREEDY, 1, "g");
        queue.add(MODEST, 1, "m");
        queue.add(MODEST, 1, "m");

        assertThat(serve() + serve() + serve()).isEqualTo("mmg");
    }

    @Test
    void one_that_could_not_go_is_still_the_next() {
        queue.add(GREEDY, 1, "first");
        queue.add(GREEDY, 1, "second");
        var turn = requireNonNull(queue.take());

        queue.putBack(turn);

        assertThat(serve() + serve()).isEqualTo("firstsecond");
        assertThat(queue.size()).isZero();
    }

    @Test
    void there_is_room_for_who_waits_for_less_than_others() {
        queue.add(GREEDY, 1, "old");
        queue.add(GREEDY, 1, "new");

        assertThat(queue.evictFor(GREEDY)).isNull();
        assertThat(requireNonNull(queue.evictFor(MODEST)).item()).isEqualTo("new");
        assertThat(queue.evictFor(MODEST)).isNull();
        assertThat(queue.size()).isEqualTo(1);
    }

    private String serve() {
        var turn = requireNonNull(queue.take());
        queue.served(turn);
        return turn.item();
    }
}
