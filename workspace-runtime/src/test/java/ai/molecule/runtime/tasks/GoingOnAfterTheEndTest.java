package ai.molecule.runtime.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.tools.Parked;
import ai.molecule.sdk.SpanOutlet;
import ai.molecule.sdk.TraceContext;
import ai.molecule.sdk.identity.Passport;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents that end in the middle of a task, and what the next one that finds their folder does with it. */
class GoingOnAfterTheEndTest {

    @TempDir
    private Path home;

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final List<String> behalf = new CopyOnWriteArrayList<>();
    private final List<String> traces = new CopyOnWriteArrayList<>();
    private final Queue<SpanOutlet.Span> told = new ConcurrentLinkedQueue<>();
    private final List<String> prompts = new CopyOnWriteArrayList<>();
    private final CountDownLatch never = new CountDownLatch(1);
    private final AtomicBoolean decided = new AtomicBoolean();
    private final WorkMeter meter = new WorkMeter();
    private final List<Tasks> agents = new ArrayList<>();
    private @Nullable String leftOut;

    @AfterEach
    void letGo() throws InterruptedException {
        agents.forEach(Tasks::stop);
        for (Tasks agent : agents) {
            agent.awaitRest(Waits.PATIENCE);
        }
    }

    @Test
    void a_task_goes_on_behind_its_last_step_and_is_found_by_its_message() throws Exception {
        Tasks first = agent();
        begin(first, "m1", "one two hang three");
        await().until(() -> done.equals(List.of("one", "two")));

        Tasks second = nextAgentWithout("hang");

        assertThat(over(second, "m1").answer()).isEqualTo("one.two.three.");
        assertThat(over(second, "m1").tools()).extracting(ToolUse::tool).containsExactly("one", "two", "three");
        assertThat(done).containsExactly("one", "two", "three");
    }

    @Test
    void a_message_that_is_sent_again_meets_the_task_it_became_before() throws Exception {
        Tasks first = agent();
        String id = begin(first, "m1", "one hang").task().id();
        await().until(() -> done.equals(List.of("one")));

        Tasks second = nextAgentWithout("hang");
        var again = begin(second, "m1", "one hang");

        assertThat(again.isNew()).isFalse();
        assertThat(again.task().id()).isEqualTo(id);
        assertThat(begin(second, "m1", "other words").isNew()).isTrue();
    }

    @Test
    void an_agent_that_is_stopped_sends_those_who_wait_away_and_its_successor_goes_on() throws Exception {
        Tasks first = agent();
        var waits = begin(first, "m1", "one hang two").task().settled().toCompletableFuture();
        await().until(() -> done.equals(List.of("one")));

        first.stop();
        Tasks second = nextAgentWithout("hang");

        assertThatThrownBy(waits::join).hasMessageContaining("the agent restarts and goes on with this");
        assertThat(over(second, "m1").answer()).isEqualTo("one.two.");
        assertThat(done).containsExactly("one", "two");
    }

    @Test
    void a_question_waits_for_its_answer_over_a_restart() throws Exception {
        Tasks first = agent();
        String id = begin(first, "m1", "one ask").task().id();
        await().until(() -> first.get(id).asks());

        Tasks second = agent();
        second.resume(told::add);
        assertThat(second.get(id).snapshot().statusText()).isEqualTo("which?");
        begin(second, "m2", "two", Optional.of(id));

        assertThat(over(second, "m2").answer()).isEqualTo("one.two.");
        assertThat(over(second, "m1").turns()).extracting(Turn::question).containsExactly("which?", "");
        assertThat(done).containsExactly("one", "two");
    }

    @Test
    void what_is_over_is_known_to_the_next_agent_and_not_done_again() throws Exception {
        Tasks first = agent();
        begin(first, "m1", "one");
        assertThat(over(first, "m1").answer()).isEqualTo("one.");

        Tasks second = agent();
        second.resume(told::add);

        assertThat(over(second, "m1").answer()).isEqualTo("one.");
        assertThat(second.getByMessage("m1").follow().log().at(1)).isNull();
        assertThat(done).containsExactly("one");
        assertThat(Files.readString(onlyFile()))
                .as("what it was given is dropped")
                .doesNotContain("metadata", "step");
    }

    @Test
    void an_agent_that_ended_while_it_kept_the_end_of_a_task_has_kept_it() throws Exception {
        Tasks first = agent();
        begin(first, "m1", "one hang");
        await().until(() -> done.equals(List.of("one")));
        Path open = onlyFile();
        byte[] before = Files.readAllBytes(open);
        first.cancel(first.getByMessage("m1").id());
        assertThat(over(first, "m1").state()).isEqualTo(TaskState.CANCELED);
        Files.write(open, before);

        Tasks second = nextAgentWithout("hang");

        assertThat(over(second, "m1").state()).isEqualTo(TaskState.CANCELED);
        assertThat(open).doesNotExist();
    }

    @Test
    void a_canceled_task_stays_canceled() throws Exception {
        Tasks first = agent();
        String id = begin(first, "m1", "one hang").task().id();
        await().until(() -> done.equals(List.of("one")));
        first.cancel(id);

        Tasks second = nextAgentWithout("hang");

        assertThat(second.get(id).snapshot().state()).isEqualTo(TaskState.CANCELED);
    }

    @Test
    void a_row_that_was_not_written_whole_is_cut_off() throws Exception {
        Tasks first = agent();
        begin(first, "m1", "one hang two");
        await().until(() -> done.equals(List.of("one")));
        Files.writeString(onlyFile(), "{\"row\":\"step\",\"said\":\"lies", StandardOpenOption.APPEND);

        Tasks second = nextAgentWithout("hang");

        assertThat(over(second, "m1").answer()).isEqualTo("one.two.");
    }

    @Test
    void a_task_in_which_agents_end_again_and_again_is_given_up() throws Exception {
        begin(agent(), "m1", "hang");
        await().until(() -> prompts.size() == 1);
        for (int crash = 1; crash <= KeptTask.CRASHES_MAX; crash++) {
            agent().resume(told::add);
            int seen = 1 + crash;
            await().until(() -> prompts.size() == seen);
        }

        Tasks last = agent();
        last.resume(told::add);

        assertThat(over(last, "m1").statusText()).isEqualTo("Agent error: the agent ended while it worked on this");
    }

    @Test
    void a_parked_task_holds_no_thread_and_goes_on_when_what_it_waits_for_has_come_or_after_a_restart()
            throws Exception {
        Tasks first = agent();
        String id = begin(first, "m1", "one park two").task().id();
        await().until(() -> prompts.size() == 1 && meter.read().activeTasks() == 0);
        assertThat(first.get(id).snapshot().state()).isEqualTo(TaskState.WORKING);
        first.stop();

        Tasks second = agent();
        second.resume(told::add);
        decided.set(true);

        assertThat(over(second, "m1").answer()).isEqualTo("one.two.");
        assertThat(done).containsExactly("one", "two");
    }

    @Test
    void each_goes_on_under_the_passport_it_was_begun_with_whoever_wakes_it_and_after_a_restart() throws Exception {
        Tasks first = agent();
        for (String who : List.of("kim", "lee")) {
            under(who).during(() -> {
                try {
                    return begin(first, who, who + " park " + who + "2");
                } catch (Exception broken) {
                    throw new AssertionError(broken);
                }
            });
        }
        await().until(() -> prompts.size() == 2 && meter.read().activeTasks() == 0);
        decided.set(true);
        over(first, "kim");
        over(first, "lee");
        assertThat(behalf).contains("kim2 for kim", "lee2 for lee");

        decided.set(false);
        under("ann").during(() -> {
            try {
                return begin(first, "ann", "ann park ann2");
            } catch (Exception broken) {
                throw new AssertionError(broken);
            }
        });
        await().until(() -> prompts.size() == 5 && meter.read().activeTasks() == 0);
        first.stop();
        Tasks second = agent();
        second.resume(told::add);
        decided.set(true);
        over(second, "ann");
        assertThat(behalf).contains("ann2 for ann");
    }

    @Test
    void what_is_done_after_the_end_stands_in_the_trace_that_its_message_came_with() throws Exception {
        String parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        TraceContext.of(Optional.of(parent), Optional.of("vendor=1")).during(() -> {
            try {
                return begin(agent(), "m1", "one hang two");
            } catch (Exception broken) {
                throw new AssertionError(broken);
            }
        });
        await().until(() -> done.equals(List.of("one")));

        over(nextAgentWithout("hang"), "m1");

        assertThat(traces).containsExactly(parent + " vendor=1", parent + " vendor=1");
        assertThat(told).extracting(SpanOutlet.Span::name).containsExactly("two");
        assertThat(told).extracting(SpanOutlet.Span::traceId).containsExactly("4bf92f3577b34da6a3ce929d0e0e4736");
    }

    private static TraceContext under(String who) {
        String claims = "{\"jti\":\"j\",\"sub\":\"%s\",\"name\":\"%s\",\"aud_name\":\"Me\",\"exp\":4000000000}"
                .formatted(who, who);
        String jws =
                "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8))
                        + ".AA";
        return TraceContext.of(Optional.empty(), Optional.empty()).under(Passport.kept(jws));
    }

    @Test
    void what_is_kept_can_be_read_by_its_owner_alone() throws Exception {
        begin(agent(), "m1", "one hang");
        await().until(() -> done.equals(List.of("one")));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(onlyFile())))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("tasks"))))
                .isEqualTo("rwx------");
    }

    @Test
    void where_nothing_can_be_kept_tasks_are_done_all_the_same() throws Exception {
        Files.writeString(home.resolve("tasks"), "no folder");
        Tasks tasks = agent();
        begin(tasks, "m1", "one");

        assertThat(over(tasks, "m1").answer()).isEqualTo("one.");
    }

    @Test
    void a_task_that_grew_too_large_is_kept_no_longer_and_goes_on() throws Exception {
        Tasks tasks = agent();
        begin(tasks, "m1", "big big big hang");
        await().until(() -> done.size() == 3);

        await().untilAsserted(() -> assertThat(home.resolve("tasks")).isEmptyDirectory());
    }

    /** As if the one before had been killed: nobody told it to stop. */
    private Tasks nextAgentWithout(String word) {
        leftOut = word;
        Tasks next = agent();
        next.resume(told::add);
        return next;
    }

    private Tasks agent() {
        var agent = new Tasks(
                new Worker(),
                meter,
                Clock.systemUTC(),
                64_000_000,
                Surroundings.NONE,
                TaskJournal.in(home.resolve("tasks")));
        agents.add(agent);
        return agent;
    }

    private TaskSnapshot over(Tasks tasks, String messageId) throws InterruptedException {
        AgentTask task = tasks.getByMessage(messageId);
        await().until(task::isFinal);
        tasks.awaitRest(Waits.PATIENCE); // what is kept of it is written behind its end
        return task.snapshot();
    }

    private static Tasks.Accepted begin(Tasks tasks, String messageId, String text) {
        return begin(tasks, messageId, text, Optional.empty());
    }

    private static Tasks.Accepted begin(Tasks tasks, String messageId, String text, Optional<String> taskId) {
        var message = JsonNodeFactory.instance.objectNode();
        message.putArray("parts").addObject().put("text", text);
        var incoming = new IncomingMessage(
                messageId, Optional.empty(), taskId, text, message, MissingNode.getInstance(), 1000);
        var accepted = tasks.accept(incoming);
        tasks.start(accepted, incoming);
        return accepted;
    }

    private Path onlyFile() throws IOException {
        try (Stream<Path> files = Files.list(home.resolve("tasks"))) {
            return files.filter(file -> file.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Each word of what it is asked is a step, said and kept; some words are orders. */
    private final class Worker implements AgentExecutor {

        @Override
        public Skill skill() {
            return new Skill("w", "Worker", "", List.of());
        }

        @Override
        public boolean resumes() {
            return true;
        }

        @Override
        public void answer(Prompt prompt, Reply reply) throws Exception {
            prompts.add(prompt.text());
            List<String> kept = reply.steps().done().stream()
                    .map(step -> step.path("word").asText())
                    .toList();
            for (String word : prompt.text().split(" ", -1)) {
                if (kept.contains(word) && !word.equals("big") || word.equals(leftOut)) {
                    continue;
                }
                switch (word) {
                    case "hang" -> never.await();
                    case "ask" -> {
                        reply.ask("which?");
                        return;
                    }
                    case "park" -> {
                        if (!decided.get()) {
                            throw new Parked("a decision", decided::get);
                        }
                    }
                    default -> {
                        String padding = word.equals("big") ? "x".repeat(3_000_000) : "";
                        reply.chunk(word + ".");
                        done.add(word);
                        var trace = TraceContext.here();
                        trace.parent()
                                .ifPresent(parent ->
                                        traces.add(parent + " " + trace.state().orElse("")));
                        TraceContext.begin(word, false).close();
                        TraceContext.passport()
                                .ifPresent(passport -> behalf.add(word + " for " + passport.principal()));
                        boolean _ = reply.steps()
                                .keep(
                                        JsonNodeFactory.instance
                                                .objectNode()
                                                .put("word", word)
                                                .put("padding", padding),
                                        word + ".");
                        reply.used(new ToolUse(word, "", ""));
                    }
                }
            }
        }
    }
}
