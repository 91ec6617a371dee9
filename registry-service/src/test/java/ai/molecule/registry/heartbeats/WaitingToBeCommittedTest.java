package ai.molecule.registry.heartbeats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Heartbeats wait and are committed in groups that neither fill the memory nor one statement, however long their texts are. */
class WaitingToBeCommittedTest {

    private static final int MEBIBYTE = 1024 * 1024;

    private final WaitingRoom<Integer> room = new WaitingRoom<>(Integer::longValue);

    @Test
    void long_texts_fill_the_room_before_their_number_does_and_leave_it_again() {
        for (int i = 0; i < 32; i++) {
            assertThat(room.offer(MEBIBYTE)).isTrue();
        }

        assertThat(room.offer(1)).isFalse();
        assertThat(room.takeGroup()).hasSize(8);
        assertThat(room.offer(1)).isTrue();
    }

    @Test
    void short_ones_are_bounded_by_their_number() {
        for (int i = 0; i < WaitingRoom.WAITING_MAX; i++) {
            assertThat(room.offer(0)).isTrue();
        }

        assertThat(room.offer(0)).isFalse();
        assertThat(room.takeGroup()).hasSize(WaitingRoom.GROUP_MAX);
    }

    @Test
    void one_too_long_for_a_group_goes_alone() {
        room.offer(20 * MEBIBYTE);
        room.offer(1);

        assertThat(room.takeGroup()).containsExactly(20 * MEBIBYTE);
        assertThat(room.takeGroup()).containsExactly(1);
        assertThat(room.takeGroup()).isEmpty();
    }
}
