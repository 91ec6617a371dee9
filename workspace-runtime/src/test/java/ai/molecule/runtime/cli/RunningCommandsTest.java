package ai.molecule.runtime.cli;

import static ai.molecule.runtime.agent.Background.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.RecordingReply;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.processes.ProcessHold;
import ai.molecule.runtime.processes.ProcessRoom;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs of ours in the place of those that ask a model. */
class RunningCommandsTest {

    /** A program is known by its task: another test of the same time shall not end it. */
    private static final String TASK = "task-" + UUID.randomUUID();

    private static final String PATH = "/usr/local/bin:/usr/bin:/bin";

    @TempDir
    private Path folder;

    private final RecordingReply reply = new RecordingReply();

    @Test
    void the_program_reads_the_message_and_its_output_is_the_answer() throws Exception {
        program("printf 'you said: '; cat; printf '\\n\\n'").answer(prompt("héllo wörld"), reply);

        assertThat(reply.answer()).isEqualTo("you said: héllo wörld");
    }

    @Test
    void output_is_seen_while_the_program_still_works() throws Exception {
        var gate = folder.resolve("gate");
        var executor = program("echo first; while [ ! -e '" + gate + "' ]; do sleep 0.05; done; echo second");
        var run = inBackground(() -> executor.answer(prompt("go"), reply));
        await().until(() -> reply.answer().equals("first"));

        Files.createFile(gate);

        run.join();
        assertThat(reply.answer()).isEqualTo("first\nsecond");
    }

    @Test
    void the_program_has_the_environment_its_arguments_and_the_task_but_not_what_is_the_agents_alone()
            throws Exception {
        var setup = setup(
                script("echo $1 $SOME_KEY $MOLECULE_TASK_ID ${MOLECULE_LIFELINE:-none}"),
                List.of("one"),
                0,
                Map.of("SOME_KEY", "sk-1", "MOLECULE_LIFELINE", "stdin", "PATH", PATH));

        new CliExecutor(setup).answer(prompt("go"), reply);

        assertThat(reply.answer()).isEqualTo("one sk-1 " + TASK + " none");
    }

    @Test
    void a_program_that_answers_the_initial_prompt_is_told_to_hand_nothing_on() throws Exception {
        var initial = JsonNodeFactory.instance.objectNode().put("messageId", "initial-01234567");
        var program = program("echo ${MOLECULE_NO_DELEGATION:-free}");

        program.answer(new Prompt(TASK, "context-1", "begin", initial, MissingNode.getInstance()), reply);
        var later = new RecordingReply();
        program.answer(prompt("go on"), later);

        assertThat(reply.answer()).isEqualTo("1");
        assertThat(later.answer()).isEqualTo("free");
    }

    @Test
    void the_conversation_so_far_goes_before_the_message() throws Exception {
        var history = new ObjectMapper().readTree("""
                {"history":[{"role":"user","parts":[{"text":"hi"}]},{"role":"agent","parts":[{"text":"hello"}]},"junk"]}""");

        program("cat").answer(prompt("and now?", history), reply);

        assertThat(reply.answer())
                .isEqualTo("The conversation so far:\nUser: hi\nYou: hello\n\nThe message to answer:\nand now?");
    }

    @ParameterizedTest
    @CsvSource({
        "Error: 429 Too Many Requests,rate_limited",
        "Invalid API key · Please run /login,auth_failed",
        "No conversation found with session ID: 12,session_error",
        "Segmentation fault at /root/secret,exit_3",
        "FATAL ERROR: Reached heap limit,out_of_memory: the program needs more than this tier allows"
    })
    void a_program_that_fails_is_told_by_its_kind_and_not_by_its_words(String complaint, String kind) {
        assertThatThrownBy(() -> program("echo '" + complaint + "' >&2; exit 3").answer(prompt("go"), reply))
                .isInstanceOf(AgentFailure.class)
                .hasMessage("the command failed (" + kind + "), see the workspace log");
    }

    @Test
    void a_program_that_aborts_without_a_word_had_too_little_memory() {
        assertThatThrownBy(() -> program("kill -ABRT $$").answer(prompt("go"), reply))
                .hasMessage(
                        "the command failed (out_of_memory: the program needs more than this tier allows), see the workspace log");
    }

    @Test
    void what_is_logged_of_a_complaint_is_its_end_without_secrets() {
        var complaint = new Complaint();
        byte[] text = ("x".repeat(20_000) + " key sk-very-secret refused\n").getBytes(StandardCharsets.UTF_8);
        complaint.add(text, text.length);

        assertThat(complaint.forTheLog(Map.of("OPENAI_API_KEY", "sk-very-secret")))
                .hasSizeLessThan(600)
                .endsWith("xx key [OPENAI_API_KEY] refused");
    }

    @Test
    void canceling_ends_the_program_and_all_it_started_even_what_has_left_it() throws Exception {
        var executor = program("(trap '' TERM; sleep 600 & echo $!; wait) & setsid sleep 600 & echo $!; wait");
        var task = new CompletableFuture<Thread>();
        var run = inBackground(() -> {
            task.complete(Thread.currentThread());
            executor.answer(prompt("go"), reply);
        });
        await().until(() -> pids().size() == 2);
        var started = pids();

        task.join().interrupt();

        assertThatThrownBy(run::join).hasCauseInstanceOf(InterruptedException.class);
        await().until(() -> started.stream().noneMatch(RunningCommandsTest::runs));
    }

    @Test
    void a_program_that_starts_others_for_ever_is_held_and_all_of_them_end() throws Exception {
        try (var hold = ProcessHold.ofOneThatStays(30, Map.of("PATH", PATH))) {
            assumeThat(hold.holds())
                    .as("this system holds what a program starts")
                    .isTrue();
        }
        var forks = inRoomFor(30, "for i in $(seq 300); do sleep 600 & echo $!; done");

        assertThatThrownBy(() -> forks.answer(prompt("go"), reply))
                .hasMessage("the command failed (exit_2), see the workspace log");

        assertThat(pids()).hasSizeBetween(1, 30);
        await().until(() -> pids().stream().noneMatch(RunningCommandsTest::runs));
    }

    @Test
    void a_program_for_which_there_is_no_room_is_told_by_its_kind() throws Exception {
        assertThatThrownBy(() -> inRoomFor(3, "echo done").answer(prompt("go"), reply))
                .hasMessage("the command failed (no_room_for_processes), see the workspace log");
    }

    @Test
    void programs_that_together_leave_no_room_for_the_agent_are_ended() throws Exception {
        var full = new AtomicBoolean();
        var executor = inRoom(() -> OptionalInt.of(full.get() ? 1 : ProcessRoom.MOST), "echo $$; sleep 600");
        var run = inBackground(() -> executor.answer(prompt("go"), reply));
        await().until(() -> pids().size() == 1);

        full.set(true);

        assertThatThrownBy(run::join)
                .rootCause()
                .hasMessage("the command failed (no_room_for_processes), see the workspace log");
        await().until(() -> pids().stream().noneMatch(RunningCommandsTest::runs));
    }

    private CliExecutor inRoomFor(int processes, String script) throws Exception {
        return inRoom(() -> OptionalInt.of(ProcessRoom.KEPT_BACK + processes), script);
    }

    private CliExecutor inRoom(Supplier<OptionalInt> left, String script) throws Exception {
        return new CliExecutor(
                setup(script(script), List.of(), 60, Map.of("PATH", PATH)),
                new ProgramAllowance(Permission.READ),
                Optional.empty(),
                new ProcessRoom(left));
    }

    @Test
    void a_program_that_takes_too_long_is_ended() throws Exception {
        var slow = new CliExecutor(setup(script("echo begun; sleep 600"), List.of(), 1, Map.of("PATH", PATH)));

        assertThatThrownBy(() -> slow.answer(prompt("go"), reply))
                .hasMessage("the command failed (timeout after 1 s), see the workspace log");

        assertThat(reply.answer()).isEqualTo("begun");
    }

    @Test
    void a_program_that_never_stops_talking_is_ended_when_nobody_takes_more() {
        var full = new RecordingReply();
        Reply limited = new Reply() {
            @Override
            public void chunk(String text) {
                full.chunk(text);
                if (full.answer().length() > 50_000) {
                    throw new AgentFailure("the answer is larger than the agent can hold");
                }
            }

            @Override
            public void text(String text) {
                chunk(text);
            }

            @Override
            public void ask(String question) {}
        };

        assertThatThrownBy(() -> program("yes").answer(prompt("go"), limited))
                .isInstanceOf(AgentFailure.class)
                .hasMessage("the answer is larger than the agent can hold");
    }

    @Test
    void a_message_that_the_program_does_not_read_does_no_harm() throws Exception {
        program("echo done").answer(prompt("x".repeat(1_000_000)), reply);

        assertThat(reply.answer()).isEqualTo("done");
    }

    @Test
    void a_program_that_is_not_installed_is_one_sentence_before_the_start() {
        assertThatThrownBy(() -> new CliExecutor(new AgentSetup(
                        "claude-code", "", "", List.of(), 0, () -> "", Map.of("PATH", folder.toString()))))
                .isInstanceOf(NotReady.class)
                .hasMessage("claude is not installed: no such program is on the PATH");
        assertThatThrownBy(() ->
                        new CliExecutor(new AgentSetup("my-own", "", "", List.of(), 0, () -> "", Map.of("PATH", PATH))))
                .isInstanceOf(NotReady.class)
                .hasMessage("runtime my-own has no command");
    }

    @Test
    void a_program_of_ones_own_finds_what_it_is_in_a_variable_and_its_input_is_the_message_alone() throws Exception {
        var prompt = new String[] {"You plan."};
        var setup = new AgentSetup(
                "my-own",
                "",
                script("echo \"<${MOLECULE_SYSTEM_PROMPT:-none}>\"; cat").toString(),
                List.of(),
                0,
                () -> prompt[0],
                Map.of("PATH", PATH));
        var executor = new CliExecutor(setup);

        executor.answer(prompt("go"), reply);
        assertThat(reply.answer()).isEqualTo("<You plan.>\ngo");

        prompt[0] = "";
        var later = new RecordingReply();
        executor.answer(prompt("go"), later);
        assertThat(later.answer()).as("it is asked anew for each message").isEqualTo("<none>\ngo");
    }

    @Test
    void programs_without_a_way_to_be_told_read_what_they_are_before_the_message() throws Exception {
        Path codex = Files.writeString(folder.resolve("codex"), "#!/bin/sh\ncat");
        assertThat(codex.toFile().setExecutable(true)).isTrue();
        var setup =
                new AgentSetup("codex", "", "", List.of(), 0, () -> "You plan.", Map.of("PATH", folder + ":" + PATH));

        new CliExecutor(setup).answer(prompt("go"), reply);

        assertThat(reply.answer()).isEqualTo("You plan.\n\n---\n\ngo");
    }

    @Test
    void what_is_too_long_for_an_argument_is_read_before_the_message() throws Exception {
        Path claude = Files.writeString(folder.resolve("claude"), "#!/bin/sh\necho \"$#\"; wc -c");
        assertThat(claude.toFile().setExecutable(true)).isTrue();
        var setup = new AgentSetup(
                "claude-code", "", "", List.of(), 0, () -> "x".repeat(150_000), Map.of("PATH", folder + ":" + PATH));

        new CliExecutor(setup).answer(prompt("go"), reply);

        assertThat(reply.answer().strip()).isEqualTo("5\n150009");
    }

    @Test
    void claude_is_told_the_model_and_what_it_is() throws Exception {
        var claude = Files.writeString(folder.resolve("claude"), "#!/bin/sh\necho \"$@\"\n");
        assertThat(claude.toFile().setExecutable(true)).isTrue();
        var environment = Map.of("PATH", folder + ":" + PATH);

        new CliExecutor(new AgentSetup(
                        "claude-code", "anthropic:opus", "", List.of("--verbose"), 0, () -> "You plan.", environment))
                .answer(prompt("go"), reply);

        assertThat(reply.answer())
                .isEqualTo(
                        "--print --output-format stream-json --verbose --include-partial-messages --model opus --append-system-prompt You plan. --verbose");
    }

    private List<Long> pids() {
        return reply.answer().lines().map(Long::valueOf).toList();
    }

    private static boolean runs(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    private CliExecutor program(String shell) throws Exception {
        return new CliExecutor(setup(script(shell), List.of(), 0, Map.of("PATH", PATH)));
    }

    private static AgentSetup setup(Path program, List<String> args, int timeout, Map<String, String> environment) {
        return new AgentSetup("my-own", "", program.toString(), args, timeout, () -> "", environment);
    }

    private Path script(String shell) throws Exception {
        var script = Files.writeString(folder.resolve("program"), "#!/bin/sh\n" + shell + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    private static Prompt prompt(String text) {
        return prompt(text, MissingNode.getInstance());
    }

    private static Prompt prompt(String text, JsonNode metadata) {
        return new Prompt(TASK, "context-1", text, MissingNode.getInstance(), metadata);
    }
}
