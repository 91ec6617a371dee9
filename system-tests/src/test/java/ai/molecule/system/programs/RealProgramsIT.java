package ai.molecule.system.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.system.Platform;
import ai.molecule.system.PlatformApi;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The programs people use, {@code claude}, {@code codex} and {@code gemini}, as workspaces, asking scripted models through the platform's
 * model door. They are not installed by Maven: {@code MOLECULE_PROGRAMS} names the folder they are in ({@code .ci/programs} installs
 * them), and {@code MOLECULE_REQUIRE_PROGRAMS=1} makes it a failure that there is none.
 */
@Tag("full")
class RealProgramsIT {

    /** How a program calls a tool of the platform, and what it writes files and runs commands with. */
    enum Program {
        CLAUDE("claude-code", "anthropic:claude-sonnet-4-5", "mcp__molecule__"),
        CODEX("codex", "openai:gpt-5", "mcp__molecule__"),
        GEMINI("gemini-cli", "google:gemini-2.5-pro", "mcp_molecule_");

        final String runtime;
        final String model;
        final String tools;

        Program(String runtime, String model, String tools) {
            this.runtime = runtime;
            this.model = model;
            this.tools = tools;
        }

        void write(ArrayNode script, Path file, String content) {
            switch (this) {
                case CLAUDE ->
                    step(script, "Write").put("file_path", file.toString()).put("content", content);
                case CODEX ->
                    step(script, "exec_command").put("cmd", "printf '%s' '" + content + "' > " + file.getFileName());
                case GEMINI ->
                    step(script, "write_file").put("file_path", file.toString()).put("content", content);
            }
        }
    }

    /** Stands before the real one, which it runs where no namespace can be made, as in most containers, for an agent that has this secret. */
    private static final String WITHOUT_NAMESPACES = """
            #!/bin/sh
            if [ -n "$WITHOUT_NAMESPACES" ] && unshare --user --map-root-user true 2>/dev/null; then
              exec unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"' sh %1$s "$@"
            fi
            exec %1$s "$@"
            """;

    private static ScriptedProviders providers;
    private static Platform platform;
    private static String writer;

    @BeforeAll
    static void start(@TempDir Path temp) throws Exception {
        String folder = System.getenv().getOrDefault("MOLECULE_PROGRAMS", "");
        boolean there = !folder.isEmpty() && Files.isExecutable(Path.of(folder, "claude"));
        if ("1".equals(System.getenv("MOLECULE_REQUIRE_PROGRAMS"))) {
            assertThat(there)
                    .as("MOLECULE_PROGRAMS names a folder with claude, codex and gemini")
                    .isTrue();
        }
        assumeTrue(
                there, "MOLECULE_PROGRAMS names no folder with claude, codex and gemini; .ci/programs installs them");
        Path before = Files.createDirectory(temp.resolve("before"));
        Path codex = Files.writeString(before.resolve("codex"), WITHOUT_NAMESPACES.formatted(Path.of(folder, "codex")));
        assertThat(codex.toFile().setExecutable(true)).isTrue();
        providers = new ScriptedProviders();
        platform = Platform.up(
                Map.of("PATH", before + ":" + folder + ":" + System.getenv("PATH")), temp.resolve("data"), "--no-demo");
        providers
                .secrets()
                .forEach((key, value) -> platform.put(
                        "/settings/secrets",
                        PlatformApi.JSON
                                .createObjectNode()
                                .put("key", key)
                                .put("value", value)
                                .toString()));
        writer = platform.create("Writer", "echo", null);
        platform.awaitStatus(writer, "online");
    }

    @AfterAll
    static void stop() {
        if (platform != null) {
            platform.close();
            providers.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_uses_the_platforms_tools_edits_a_file_delegates_and_is_metered(Program program) throws Exception {
        String agent = agent(program, "Worker");
        Path file = folderOf(agent).resolve("note.txt");
        var script = PlatformApi.JSON.createArrayNode();
        step(script, program.tools + "list_peers");
        program.write(script, file, "written by " + program.runtime);
        step(script, program.tools + "delegate_task")
                .put("workspace_id", writer)
                .put("task", "say hello");

        String answer = platform.say(agent, "Do this: SCRIPT" + script + "END");

        assertThat(answer).startsWith("DONE ").contains("Writer", "Echo: say hello");
        assertThat(file).as(answer).hasContent("written by " + program.runtime);
        assertThat(providers.asked).as("the door adds the real key").allMatch(path -> path.contains("the-real-"));
        await().untilAsserted(
                        () -> assertThat(usageOf(agent).path("calls").asInt()).isGreaterThanOrEqualTo(4));
        assertThat(usageOf(agent).path("tokens_out").asInt()).isGreaterThanOrEqualTo(20);
    }

    @ParameterizedTest
    @EnumSource
    void it_asks_a_person_and_goes_on_with_the_decision(Program program) {
        String agent = agent(program, "Asker");
        var script = PlatformApi.JSON.createArrayNode();
        step(script, program.tools + "request_approval").put("action", "deploy the " + program.runtime);

        var answer = CompletableFuture.supplyAsync(() -> platform.say(agent, "SCRIPT" + script + "END"));
        decide(agent, "deploy the " + program.runtime, "approved");

        assertThat(answer)
                .succeedsWithin(Waits.PATIENCE)
                .asString()
                .startsWith("DONE ")
                .contains("approved by ann");
    }

    @Test
    void claude_asks_a_person_before_it_uses_a_tool_that_wants_permission() throws Exception {
        String agent = agent(Program.CLAUDE, "Careful");
        Path folder = folderOf(agent);
        var first = PlatformApi.JSON.createArrayNode();
        step(first, "Bash").put("command", "sh -c 'echo ran > ran.txt'").put("description", "runs");
        var second = PlatformApi.JSON.createArrayNode();
        step(second, "Bash").put("command", "sh -c 'echo ran > denied.txt'").put("description", "runs");

        var allowed = CompletableFuture.supplyAsync(() -> platform.say(agent, "SCRIPT" + first + "END"));
        decide(agent, "Use Bash: sh -c 'echo ran > ran.txt", "approved");
        assertThat(allowed).succeedsWithin(Waits.PATIENCE).asString().startsWith("DONE");
        var denied = CompletableFuture.supplyAsync(() -> platform.say(agent, "SCRIPT" + second + "END"));
        decide(agent, "Use Bash: sh -c 'echo ran > denied.txt", "denied");

        assertThat(denied).succeedsWithin(Waits.PATIENCE).asString().contains("denied by ann");
        assertThat(folder.resolve("ran.txt")).hasContent("ran");
        assertThat(folder.resolve("denied.txt")).doesNotExist();
    }

    @Test
    void codex_works_where_it_can_make_no_namespace_and_is_refused_where_nothing_else_would_hold_it() throws Exception {
        String refused = created(Program.CODEX, "Refused", 2, "WITHOUT_NAMESPACES");
        String agent = created(Program.CODEX, "Unheld", 3, "WITHOUT_NAMESPACES");
        platform.awaitStatus(agent, "online");
        Path file = folderOf(agent).resolve("note.txt");
        var script = PlatformApi.JSON.createArrayNode();
        Program.CODEX.write(script, file, "written without a sandbox");

        String answer = platform.say(agent, "Do this: SCRIPT" + script + "END");

        assertThat(file).as(answer).hasContent("written without a sandbox");
        awaitRefusal(refused, "the sandbox of codex does not work here (bwrap: ");
    }

    @ParameterizedTest
    @EnumSource
    void killed_in_the_middle_it_goes_on_in_its_session_and_does_nothing_twice(Program program) throws Exception {
        String agent = agent(program, "Survivor");
        var script = PlatformApi.JSON.createArrayNode();
        step(script, program.tools + "delegate_task")
                .put("workspace_id", writer)
                .put("task", "once by " + agent);
        script.addObject().put("hang", true);
        step(script, program.tools + "list_peers");
        var message = PlatformApi.JSON.createObjectNode().put("method", "message/send");
        var inner = message.putObject("params")
                .putObject("message")
                .put("role", "user")
                .put("messageId", "m-" + agent);
        inner.putArray("parts").addObject().put("kind", "text").put("text", "SCRIPT" + script + "END");

        var unanswered = CompletableFuture.runAsync(
                () -> platform.post(200, "/workspaces/" + agent + "/a2a", message.toString()));
        await().until(() -> providers.hangs(script.toString()));
        platform.agentProcess(agent).destroyForcibly();

        // Told to come back while it is started again, its sender sends the same message, and meets the same task.
        await().atMost(Waits.PATIENCE.multipliedBy(2)).untilAsserted(() -> {
            var answer = platform.post(200, "/workspaces/" + agent + "/a2a", message.toString());
            assertThat(answer.at("/result/parts/0/text").asText())
                    .as(logOf(agent))
                    .startsWith("DONE ")
                    .contains("Echo: once by " + agent, "Writer");
        });
        await().until(unanswered::isDone);
        assertThat(received(writer).split("Echo: once by " + agent, -1))
                .as("the work was handed on once")
                .hasSize(2);
    }

    private static String agent(Program program, String name) {
        String id = created(program, name, 3, "NONE");
        platform.awaitStatus(id, "online");
        return id;
    }

    /** @param secret which it has */
    private static String created(Program program, String name, int tier, String secret) {
        var body = PlatformApi.JSON
                .createObjectNode()
                .put("name", name + " " + program.runtime)
                .put("runtime", program.runtime)
                .put("model", program.model)
                .put("tier", tier);
        body.putObject("secrets").put(secret, "1");
        return platform.post(201, "/workspaces", body.toString()).get("id").asText();
    }

    private static com.fasterxml.jackson.databind.node.ObjectNode step(ArrayNode script, String tool) {
        return script.addObject().put("tool", tool).putObject("args");
    }

    private static Path folderOf(String agent) {
        return platform.data().resolve("workspaces").resolve(agent).resolve("workspace");
    }

    /** Once, and at its start. */
    private static void awaitRefusal(String agent, String why) {
        await().until(() -> platform.status(agent).equals("failed"));
        assertThat(platform.get("/events/" + agent).toString())
                .contains("workspace start failed: preflight failed: ", why);
    }

    private static JsonNode usageOf(String agent) {
        for (JsonNode row : platform.get("/usage?by=agent").path("rows")) {
            if (row.path("key").asText().equals(agent)) {
                return row;
            }
        }
        return PlatformApi.JSON.missingNode();
    }

    private static String logOf(String agent) throws IOException {
        return Files.readString(
                platform.data().resolve("workspaces").resolve(agent).resolve("log/agent.log"));
    }

    private static String received(String workspace) {
        return String.join(
                "\n",
                platform.get("/workspaces/" + workspace + "/activity?type=a2a_receive")
                        .findValuesAsText("text"));
    }

    private static void decide(String agent, String action, String decision) {
        await().until(() -> pending(agent, action).isPresent());
        platform.post(
                200,
                "/workspaces/" + agent + "/approvals/" + pending(agent, action).orElseThrow() + "/decide",
                "{\"decision\":\"" + decision + "\",\"decided_by\":\"ann\"}");
    }

    private static Optional<String> pending(String agent, String action) {
        for (JsonNode each : platform.get("/workspaces/" + agent + "/approvals")) {
            if (each.path("status").asText().equals("pending")
                    && each.path("action").asText().startsWith(action)) {
                return Optional.of(each.path("id").asText());
            }
        }
        return Optional.empty();
    }
}
