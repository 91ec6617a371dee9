package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.ModelKey;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.workspaces.ReservedVariables;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.process.AgentCommand;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What agents are told in confidence, at each start. */
@ExtendWith(VertxExtension.class)
class TellingSecretsTest {

    private static final AgentCommand TELLING = ScriptedAgents.script(
            "env; tr '{,}' '\\n\\n\\n' <$MOLECULE_SECRETS_FILE; echo; echo told; while :; do sleep 0.1; done",
            Set.of("echo", "cli"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @BeforeEach
    void start(Vertx vertx) {
        provisioning = new Provisioning(vertx, data, TELLING).start();
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @Test
    void an_agent_is_handed_its_secrets_and_new_ones_after_a_restart() throws IOException {
        provisioning.registry.secrets(Map.of("API_KEY", "first", "MODEL_PROVIDER", "m:1"));
        var id = provisioning.registry.create("echo");
        provisioning.reconcile(id);
        assertThat(environment(id))
                .contains("\"API_KEY\":\"first\"", "\"MODEL_PROVIDER\":\"m:1\"", "WORKSPACE_ID=" + id);
        provisioning.registry.online(id);

        provisioning.registry.secrets(Map.of("API_KEY", "second"));
        provisioning.registry.restart(id);
        provisioning.reconcile(id);

        assertThat(environment(id))
                .contains("\"API_KEY\":\"second\"")
                .doesNotContain("\"API_KEY\":\"first\"", "\"MODEL_PROVIDER\":\"m:1\"");
        assertThat(provisioning.instance(id).orElseThrow().deaths()).isEmpty(); // no crash
        assertThat(provisioning.registry.transitions()).isEmpty();
    }

    @Test
    void a_providers_key_stays_with_the_platform_whatever_the_agent_looks_at() throws IOException {
        provisioning.registry.secrets(Map.of("ANTHROPIC_API_KEY", "sk-ant-real", "OPENAI_BASE_URL", "http://real/v1"));
        var id = provisioning.registry.create("echo");

        provisioning.reconcile(id);

        String key = ModelKey.of("token-1");
        assertThat(environment(id))
                .contains("\"ANTHROPIC_API_KEY\":\"" + key + "\"", "\"OPENAI_API_KEY\":\"" + key + "\"")
                .anyMatch(line -> line.startsWith("ANTHROPIC_BASE_URL=http") && line.endsWith("/models/anthropic"))
                .anyMatch(line -> line.startsWith("OPENAI_BASE_URL=http") && line.endsWith("/models/openai/v1"));
        assertThat(everythingIn(data.resolve("workspaces").resolve(id.toString())))
                .isNotEmpty()
                .noneMatch(content -> content.contains("sk-ant-real") || content.contains("http://real"));
        assertThat(ProcessHandle.allProcesses()
                        .map(process -> process.info().commandLine().orElse("")))
                .noneMatch(line -> line.contains("sk-ant-real"));
    }

    @Test
    void a_secret_never_takes_the_place_of_what_the_platform_says() throws IOException {
        provisioning.registry.secrets(
                Map.of("PATH", "/evil", "LD_PRELOAD", "/evil.so", "WORKSPACE_ID", "another", "FINE", "yes"));
        var id = provisioning.registry.create("echo");

        provisioning.reconcile(id);

        assertThat(environment(id))
                .contains("\"FINE\":\"yes\"", "WORKSPACE_ID=" + id)
                .noneMatch(line -> line.contains("evil") || line.contains("another"));
    }

    @Test
    void every_name_the_platform_sets_is_reserved() throws IOException {
        var id = provisioning.registry.create("echo", UUID.randomUUID());
        provisioning.reconcile(id);
        List<String> byTheShell = List.of("PWD", "SHLVL", "_", "OLDPWD");

        assertThat(environment(id).stream()
                        .filter(line -> line.contains("="))
                        .map(line -> line.substring(0, line.indexOf('=')))
                        .filter(name -> !byTheShell.contains(name))
                        .filter(name -> !name.startsWith("GIT_") && !name.equals("MOLECULE_AGENT_ROLE")))
                .hasSizeGreaterThan(10)
                .allMatch(ReservedVariables::contains);
    }

    @Test
    void secrets_that_cannot_be_decrypted_fail_the_start_before_it_began() {
        provisioning.registry.undecryptable("workspace:API_KEY");
        var id = provisioning.registry.create("echo");

        provisioning.reconcile(id);

        String error = "failed to decrypt workspace secret";
        assertThat(provisioning.registry.transitions())
                .containsExactly(new Transition(id, 1, WorkspaceStatus.FAILED, Map.of("error", error), error));
        assertThat(provisioning.registry.tokens()).isEmpty();
        assertThat(Provisioning.processesOf(id)).isZero();
    }

    @Test
    void secrets_that_no_process_could_take_fail_the_start_with_one_sentence() {
        provisioning.registry.secrets(
                IntStream.range(0, 17).boxed().collect(Collectors.toMap(i -> "K" + i, i -> "v".repeat(65_536))));
        var id = provisioning.registry.create("echo");

        provisioning.reconcile(id);

        assertThat(provisioning.registry.transitions().getFirst().error())
                .isEqualTo("its secrets are larger than 1 MiB together");
    }

    @Test
    void a_secret_makes_every_start_of_claude_a_fresh_one() throws IOException {
        var id = provisioning.registry.create("echo");
        var session = data.resolve("workspaces/" + id + "/workspace/.claude/sessions/one.json");
        Files.createDirectories(session.getParent());
        Files.writeString(session, "{}");
        provisioning.registry.secrets(Map.of("WORKSPACE_RESET_SESSION", "True"));
        provisioning.reconcile(id);
        assertThat(session).exists(); // it is another's

        provisioning.registry.runtime(id, "claude-code");
        provisioning.registry.restart(id);
        provisioning.reconcile(id);

        assertThat(session).doesNotExist();
    }

    @Test
    void a_launch_does_not_print_them() {
        var id = provisioning.registry.create("echo");
        var launch = new Launch(provisioning.registry.get(id), 1, "hush", Map.of("KEY", "hush"));

        assertThat(launch.toString()).doesNotContain("hush");
    }

    private static List<String> everythingIn(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            List<String> contents = new ArrayList<>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.add(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
            return contents;
        }
    }

    private List<String> environment(UUID id) throws IOException {
        var log = data.resolve("workspaces").resolve(id.toString()).resolve("log/agent.log");
        await().until(() -> Files.exists(log) && Files.readAllLines(log).contains("told"));
        return Files.readAllLines(log);
    }
}
