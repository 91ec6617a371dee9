package ai.molecule.runtime.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MovingTasksTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    @ParameterizedTest
    @CsvSource({
        "SUBMITTED,WORKING,true", "SUBMITTED,CANCELED,true", "SUBMITTED,FAILED,true", "SUBMITTED,COMPLETED,false",
        "WORKING,COMPLETED,true", "WORKING,FAILED,true", "WORKING,CANCELED,true", "WORKING,SUBMITTED,false",
    })
    void a_live_task_moves_forward_only(TaskState from, TaskState to, boolean legal) {
        assertThat(from.canBecome(to)).isEqualTo(legal);
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void nothing_follows_the_end(TaskState next) {
        assertThat(TaskState.COMPLETED.canBecome(next)).isFalse();
        assertThat(TaskState.FAILED.canBecome(next)).isFalse();
        assertThat(TaskState.CANCELED.canBecome(next)).isFalse();
    }

    @Test
    void a_task_that_is_over_takes_no_words_and_tells_those_who_come_late_how_it_ended() {
        var task = new AgentTask("t1", "c1", Optional.empty(), "{}", NOW);
        task.move(TaskState.WORKING, "", NOW);
        task.append("half", false);
        task.move(TaskState.CANCELED, "enough", NOW);

        assertThat(task.append("more", true)).isFalse();
        assertThat(task.move(TaskState.COMPLETED, "", NOW)).isFalse();

        TaskView late = task.follow();
        assertThat(late.snapshot().answer()).isEqualTo("half");
        assertThat(late.log().at(late.next()))
                .isEqualTo(new TaskEvent.StatusChanged(TaskState.CANCELED, NOW, "enough"));
    }
}
