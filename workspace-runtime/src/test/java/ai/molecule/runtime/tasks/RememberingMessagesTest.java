package ai.molecule.runtime.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.tasks.MessageMemory.Seen;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RememberingMessagesTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private final Set<String> goingOn = new HashSet<>();
    private final MessageMemory memory = new MessageMemory(goingOn::contains);

    @Test
    void a_message_is_remembered_for_a_day() {
        memory.remember("m1", new Seen("t1", 1, NOW));

        assertThat(memory.newest("m1", NOW.plus(Duration.ofHours(24)))).isPresent();
        assertThat(memory.newest("m1", NOW.plus(Duration.ofHours(24)).plusMillis(1)))
                .isEmpty();
    }

    @Test
    void one_whose_task_still_waits_is_remembered_for_longer_and_holds_up_no_other() {
        goingOn.add("t1");
        memory.remember("m1", new Seen("t1", 1, NOW));
        memory.remember("m2", new Seen("t2", 1, NOW));
        Instant later = NOW.plus(Duration.ofDays(3));

        assertThat(memory.newest("m1", later)).isPresent();
        assertThat(memory.newest("m2", later)).isEmpty();
    }

    @Test
    void the_same_words_to_another_task_are_another_message_and_to_none_the_first() {
        memory.remember("m1", new Seen("t1", 1, NOW));
        assertThat(memory.find("m1", 1, Optional.of("t2"), NOW)).isEmpty();
        memory.remember("m1", new Seen("t2", 1, NOW.plusSeconds(1)));

        assertThat(memory.find("m1", 1, Optional.of("t1"), NOW).map(Seen::taskId))
                .contains("t1");
        assertThat(memory.find("m1", 1, Optional.of("t2"), NOW).map(Seen::taskId))
                .contains("t2");
        assertThat(memory.find("m1", 1, Optional.empty(), NOW).map(Seen::taskId))
                .contains("t1");
        assertThat(memory.find("m1", 2, Optional.empty(), NOW)).isEmpty();
        assertThat(memory.newest("m1", NOW).map(Seen::taskId)).contains("t2");
        assertThat(memory.find("m1", 1, Optional.empty(), NOW.plus(Duration.ofHours(25))))
                .isEmpty();
    }

    @Test
    void after_ten_thousand_messages_the_oldest_is_forgotten() {
        for (int i = 0; i <= MessageMemory.MESSAGES_MAX; i++) {
            memory.remember("m" + i, new Seen("t" + i, 1, NOW));
        }

        assertThat(memory.newest("m0", NOW)).isEmpty();
        assertThat(memory.newest("m1", NOW)).isPresent();
        assertThat(memory.newest("m" + MessageMemory.MESSAGES_MAX, NOW)).isPresent();
    }
}
