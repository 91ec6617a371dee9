package ai.molecule.runtime.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.lang.ref.WeakReference;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KeepingTasksTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    @Test
    void when_the_number_is_reached_the_task_that_finished_first_is_forgotten_first() {
        var store = new TaskStore(2, 1_000_000);
        AgentTask first = added(store, "first");
        AgentTask second = added(store, "second");
        finish(store, second);
        finish(store, first);

        assertThat(store.add(task("third"), 10, 0)).isTrue();

        assertThat(store.find("second")).isEmpty();
        assertThat(store.find("first")).contains(first);
    }

    @Test
    void a_running_task_is_never_forgotten_so_there_is_no_room() {
        var store = new TaskStore(1, 1_000_000);
        added(store, "first");

        assertThat(store.add(task("second"), 10, 0)).isFalse();

        assertThat(store.find("first")).isPresent();
    }

    @Test
    void large_tasks_push_out_more_than_one() {
        var store = new TaskStore(100, 20_000);
        for (int i = 0; i < 10; i++) {
            finish(store, added(store, "small-" + i));
        }

        assertThat(store.add(task("large"), 8_000, 0)).isTrue();

        assertThat(store.find("small-7")).isEmpty();
        assertThat(store.find("small-8")).isPresent();
        assertThat(store.find("large")).isPresent();
    }

    @Test
    void a_message_larger_than_all_the_room_is_refused() {
        assertThat(new TaskStore(100, 20_000).add(task("huge"), 20_000, 0)).isFalse();
    }

    @Test
    void what_a_task_says_counts_and_is_given_back_when_it_is_forgotten() {
        var store = new TaskStore(100, 20_000);
        AgentTask talker = added(store, "talker");

        assertThat(store.makeRoomForChunk(talker, "x".repeat(8_000))).isTrue();
        assertThat(store.makeRoomForChunk(talker, "x".repeat(8_000))).isFalse();
        finish(store, talker);

        assertThat(store.makeRoomForChunk(added(store, "next"), "x".repeat(8_000)))
                .isTrue();
    }

    @Test
    void a_running_task_counts_with_all_it_works_on_and_a_finished_one_with_what_is_kept() {
        var store = new TaskStore(100, 20_000);
        AgentTask heavy = task("heavy");
        assertThat(store.add(heavy, 10, 15_000)).isTrue();
        assertThat(store.add(task("other"), 10, 15_000)).isFalse();

        finish(store, heavy);

        assertThat(store.add(task("other"), 10, 15_000)).isTrue();
        assertThat(store.find("heavy")).isPresent();
    }

    @Test
    void a_finished_task_lets_go_of_the_thread_and_the_whole_message_it_was_begun_with() {
        var kept = new ArrayList<AgentTask>();

        WeakReference<JsonNode> message = run(kept);

        await().until(() -> {
            System.gc();
            return message.get() == null;
        });
        assertThat(kept).first().matches(AgentTask::isFinal);
    }

    private static WeakReference<JsonNode> run(List<AgentTask> kept) {
        var none = JsonNodeFactory.instance.objectNode();
        JsonNode json = none.deepCopy().put("role", "user");
        var message = new IncomingMessage("m", Optional.empty(), Optional.empty(), "hi", json, none, 100);
        var tasks = new Tasks(talker(), new WorkMeter(), Clock.systemUTC(), 1_000_000);
        var accepted = tasks.accept(message);
        tasks.start(accepted, message);
        accepted.task().settled().toCompletableFuture().join();
        kept.add(accepted.task());
        return new WeakReference<>(json);
    }

    private static AgentExecutor talker() {
        return new AgentExecutor() {
            @Override
            public Skill skill() {
                return new Skill("talk", "Talk", "Talks.", List.of());
            }

            @Override
            public void answer(Prompt prompt, Reply reply) {
                reply.text("hello");
            }
        };
    }

    private static AgentTask added(TaskStore store, String id) {
        AgentTask task = task(id);
        assertThat(store.add(task, 10, 0)).isTrue();
        return task;
    }

    private static AgentTask task(String id) {
        return new AgentTask(id, "context", Optional.empty(), "{}", NOW);
    }

    private static void finish(TaskStore store, AgentTask task) {
        task.move(TaskState.FAILED, "over", NOW);
        store.finished(task);
    }
}
