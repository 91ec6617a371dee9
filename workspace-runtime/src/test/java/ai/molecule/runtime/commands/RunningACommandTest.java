package ai.molecule.runtime.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.agent.Background;
import ai.molecule.runtime.processes.ProcessRoom;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands in the workspace's folder, and the limits around them. Where the system allows no namespaces, what needs them is skipped. */
class RunningACommandTest {

    @TempDir
    private Path home;

    private Path folder;
    private Path configs;
    private final Map<String, String> environment = new HashMap<>(
            Map.of("PATH", System.getenv().getOrDefault("PATH", "/bin:/usr/bin"), "OPENAI_API_KEY", "sk-1"));

    @BeforeEach
    void create() throws IOException {
        folder = Files.createDirectories(home.resolve("workspace"));
        configs = Files.createDirectories(home.resolve("configs"));
        Files.writeString(configs.resolve(".auth_token"), "the-token");
    }

    @Test
    void a_command_works_in_the_folder_without_the_agents_secrets() throws Exception {
        assertThat(run(3, "pwd; echo out > made; echo err >&2; echo \"[$OPENAI_API_KEY]\"; exit 7"))
                .isEqualTo(folder.toRealPath() + "\nerr\n[]\n[exit code 7]");

        assertThat(folder.resolve("made")).hasContent("out\n");
    }

    @Test
    void a_command_carries_the_mark_by_which_the_platform_ends_what_outlives_its_agent() throws Exception {
        environment.put("WORKSPACE_CONFIG_PATH", configs.toString());

        assertThat(run(3, "sh -c 'tr \"\\\\0\" \"\\\\n\" < /proc/self/environ' | grep ^WORKSPACE_CONFIG_PATH="))
                .isEqualTo("WORKSPACE_CONFIG_PATH=" + configs + "\n[exit code 0]");
    }

    @Test
    void below_tier_2_there_is_none_and_none_in_the_configuration() {
        assertThat(CommandTool.in(folder, 1, List.of(configs), environment)).isEmpty();
        assertThat(CommandTool.in(configs, 3, List.of(configs), environment)).isEmpty();
    }

    @Test
    void where_there_are_no_namespaces_tier_2_is_refused_in_a_sentence_and_tier_3_runs() throws Exception {
        Path bin = Files.createDirectories(home.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("echo"), Path.of("/bin/echo"));
        environment.put("PATH", bin.toString());

        assertThat(run(2, "echo hi"))
                .isEqualTo(
                        "Error: commands cannot be run here: this system allows no namespaces to keep them in, so they want tier 3");
        assertThat(run(3, "echo hi")).isEqualTo("hi\n[exit code 0]");
    }

    @Test
    void at_tier_2_it_sees_neither_the_network_nor_the_agent_nor_its_configuration() throws Exception {
        assumeNamespaces();

        assertThat(run(2, "cat " + configs.resolve(".auth_token")).lines().toList())
                .last()
                .isEqualTo("[exit code 1]");
        assertThat(run(2, "umount " + configs + " 2>/dev/null; cat " + configs.resolve(".auth_token")))
                .doesNotContain("the-token");
        assertThat(run(2, "ls /proc | grep -c '^[0-9]'").lines().findFirst().orElse(""))
                .as("processes it sees")
                .matches("\\d");
        assertThat(run(2, "tail -n +3 /proc/net/dev | grep -vc lo:")).startsWith("0\n");
        assertThat(run(2, "echo x > made && cat made")).startsWith("x\n[exit code 0]");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void one_that_starts_processes_for_ever_is_ended_with_all_it_started(int tier) throws Exception {
        if (tier == 2) {
            assumeNamespaces();
        }
        String mark = "sleep-" + UUID.randomUUID();
        Files.createSymbolicLink(folder.resolve(mark), Path.of("/bin/sleep"));

        assertThat(run(tier, "while :; do ./" + mark + " 600 & sleep 0.01; done"))
                .endsWith("[ended, it had started more than 128 processes]");

        await().until(() -> !isRunning(mark));
    }

    @Test
    void watching_a_command_counts_its_processes_at_one_look_in_twenty() throws Exception {
        var looks = new AtomicInteger();
        var counts = new AtomicInteger();
        var room = new ProcessRoom(() -> {
            looks.incrementAndGet();
            return OptionalInt.of(counts.get() < 2 ? ProcessRoom.MOST : 0); // ends it after the second
        });

        String told = BoundedCommand.start(
                        List.of("/bin/sh", "-c", "sleep 600"), folder, environment, process -> counts.incrementAndGet())
                .await(Duration.ofMinutes(1), room);

        assertThat(told).endsWith("[ended, what it had started left no room for the agent]");
        assertThat(looks).hasValue(2 * BoundedCommand.LOOKS_PER_COUNT + 1);
    }

    @Test
    void one_that_writes_for_ever_is_ended_and_its_beginning_and_end_are_kept() throws Exception {
        String text = run(3, "echo begin; yes");

        assertThat(text)
                .startsWith("begin\ny\n")
                .contains("bytes are left out]")
                .endsWith("[ended, it had written more than 16 MiB]");
        assertThat(text).hasSizeLessThan(2 * KeptOutput.HALF_BYTES + 200);
    }

    @Test
    void one_that_takes_too_long_is_ended_and_so_is_what_it_left_behind() throws Exception {
        String mark = "sleep-" + UUID.randomUUID();
        Files.createSymbolicLink(folder.resolve(mark), Path.of("/bin/sleep"));

        assertThat(run(3, arguments("echo begun; ./" + mark + " 600").put("timeout_seconds", 1)))
                .isEqualTo("begun\n[ended after 1 s, its time was over]");
        assertThat(run(3, "./" + mark + " 600 & echo left")).isEqualTo("left\n[exit code 0]");

        await().until(() -> !isRunning(mark));
    }

    @Test
    void canceling_ends_it() throws Exception {
        String mark = "sleep-" + UUID.randomUUID();
        Files.createSymbolicLink(folder.resolve(mark), Path.of("/bin/sleep"));
        var thread = new CompletableFuture<Thread>();
        var run = Background.inBackground(() -> {
            thread.complete(Thread.currentThread());
            run(3, "./" + mark + " 600");
        });
        await().until(() -> isRunning(mark));

        thread.join().interrupt();

        await().until(() -> run.isDone() && !isRunning(mark));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void one_that_doubles_itself_for_ever_is_held_to_the_room_there_is_and_the_next_one_runs(int tier)
            throws Exception {
        if (tier == 2) {
            assumeNamespaces();
        }
        String mark = "sleep-" + UUID.randomUUID();
        Files.createSymbolicLink(folder.resolve(mark), Path.of("/bin/sleep"));
        var little = new ProcessRoom(() -> OptionalInt.of(ProcessRoom.KEPT_BACK + 30));

        String told = run(
                tier, arguments("f() { ./" + mark + " 600 & f | f & f; }; f").put("timeout_seconds", 5), little);

        assertThat(told).containsPattern("\\[(exit code|ended)");
        await().until(() -> !isRunning(mark));
        assertThat(run(tier, arguments("echo hi"), little)).isEqualTo("hi\n[exit code 0]");
    }

    @Test
    void where_there_is_no_room_beside_the_agent_it_is_said_so() throws Exception {
        assertThat(run(3, arguments("echo hi"), new ProcessRoom(() -> OptionalInt.of(ProcessRoom.KEPT_BACK + 3))))
                .isEqualTo(
                        "Error: there is no room for more processes beside those that the agent has started; wait for their end");
    }

    @Test
    void one_that_takes_the_agents_room_is_ended() throws Exception {
        var looks = new AtomicInteger();
        var shrinking = new ProcessRoom(() -> OptionalInt.of(looks.getAndIncrement() == 0 ? 200 : 3));

        assertThat(run(3, arguments("sleep 600"), shrinking))
                .endsWith("[ended, what it had started left no room for the agent]");
    }

    @Test
    void nonsense_is_answered_with_a_sentence() throws Exception {
        for (ObjectNode arguments : List.of(
                JsonNodeFactory.instance.objectNode(),
                arguments(" "),
                arguments("echo \0"),
                arguments("x".repeat(20_001)),
                JsonNodeFactory.instance.objectNode().put("command", 7))) {
            assertThat(run(3, arguments)).isEqualTo("Error: command must be a text of 1 to 20000 characters");
        }
        assertThat(run(3, arguments("echo hi").put("timeout_seconds", "soon"))).isEqualTo("hi\n[exit code 0]");
    }

    private void assumeNamespaces() throws InterruptedException {
        assumeThat(new Enclosure(2, List.of(configs), environment).around(List.of("true")))
                .as("this system allows namespaces")
                .isPresent();
    }

    private static boolean isRunning(String mark) {
        return ProcessHandle.allProcesses()
                .map(process -> Path.of("/proc", String.valueOf(process.pid()), "cmdline"))
                .anyMatch(file -> {
                    try {
                        return Files.readString(file, StandardCharsets.ISO_8859_1)
                                .startsWith("./" + mark);
                    } catch (IOException gone) {
                        return false;
                    }
                });
    }

    private String run(int tier, String command) throws Exception {
        return run(tier, arguments(command));
    }

    private static ObjectNode arguments(String command) {
        return JsonNodeFactory.instance.objectNode().put("command", command);
    }

    private String run(int tier, ObjectNode arguments) throws InterruptedException {
        return run(tier, arguments, ProcessRoom.ofThisAgent());
    }

    private String run(int tier, ObjectNode arguments, ProcessRoom room) throws InterruptedException {
        var nobody = new WorkspaceClient(ClientConfig.of("w", "http://127.0.0.1:1", TokenFile.in(Path.of("nowhere"))));
        return CommandTool.in(folder, tier, List.of(configs), environment, room)
                .orElseThrow()
                .run(new Toolbox(new Workspaces(List.of(nobody)), Optional.empty()), arguments);
    }
}
