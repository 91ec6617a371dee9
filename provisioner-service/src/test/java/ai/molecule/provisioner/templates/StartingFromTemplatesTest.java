package ai.molecule.provisioner.templates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.templates.AgentConfigs.Wish;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Which configs an agent finds at its first start, and that they are its own from then on. */
@ExtendWith(VertxExtension.class)
class StartingFromTemplatesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @SuppressWarnings("NullAway.Init")
    private AgentConfigs configs;

    @SuppressWarnings("NullAway.Init")
    private Templates templates;

    @BeforeEach
    void prepare(Vertx vertx) {
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY);
        templates = new Templates(vertx, data.resolve("templates"));
        configs = new AgentConfigs(provisioning.backend().files(), templates);
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @Test
    void an_agent_without_template_gets_a_generated_config() throws IOException {
        template("echo-default", "config.yaml", "name: not this\n");
        var id = prepared("Agent \"Q\"", "echo", null);

        assertThat(text(id, "config.yaml")).isEqualTo("""
                name: "Agent \\"Q\\""
                description: "tests: things"
                version: 1.0.0
                tier: 2
                runtime: echo
                model: "anthropic:claude-opus-4-7"
                runtime_config:
                  timeout: 0
                """);
    }

    @Test
    void all_templates_together_are_none() throws IOException {
        template("one", "config.yaml", "name: one\n");

        for (String name : new String[] {".", "..", "one/..", "./one", "/"}) {
            assertThatThrownBy(() -> templates.find(name).await()).hasMessage("invalid template");
        }
        assertThat(templates.find("one").await()).isPresent();
    }

    @Test
    void a_template_is_copied_whole_with_plain_line_ends_and_without_a_token() throws IOException {
        template("one", "config.yaml", "runtime: echo\r\n");
        template("one", "skills/a/run.sh", "#!/bin/sh\r\ntrue\r\n");
        template("one", "data.bin", "1\r\n");
        template("one", ".auth_token", "theirs");
        Files.createSymbolicLink(data.resolve("templates/one/link"), Path.of("/etc/hostname"));

        var id = prepared("A", "echo", "one");

        assertThat(text(id, "config.yaml")).isEqualTo("runtime: echo\r\n");
        assertThat(text(id, "skills/a/run.sh")).isEqualTo("#!/bin/sh\ntrue\n");
        assertThat(text(id, "data.bin")).isEqualTo("1\r\n");
        assertThat(text(id, ".auth_token")).isEqualTo("(none)");
        assertThat(text(id, "link")).isEqualTo("(none)");
    }

    @Test
    void a_missing_template_is_replaced_by_the_default_of_the_runtime_and_that_by_a_generated_config()
            throws IOException {
        template("claude-code-default", "config.yaml", "name: default\n");
        template("langgraph-default", "note.md", "x");

        assertThat(text(prepared("A", "claude-code", "gone"), "config.yaml")).isEqualTo("name: default\n");
        var odd = prepared("A", "odd", "gone");
        assertThat(text(odd, "note.md")).isEqualTo("x");
        assertThat(text(odd, "config.yaml")).contains("runtime: odd");
        assertThat(text(prepared("A", "echo", "gone"), "config.yaml")).contains("runtime: echo");
    }

    @Test
    void an_agent_that_lived_and_lost_its_config_gets_a_templates_and_never_one_made_up() throws IOException {
        var plain = provisioning.registry.create("A", "echo", null, null);
        var ofOne = provisioning.registry.create("B", "echo", "one", null);
        provisioning.registry.online(plain);
        provisioning.registry.online(ofOne);

        assertThatThrownBy(
                        () -> configs.prepare(provisioning.registry.get(plain)).await())
                .isInstanceOf(StartRefused.class)
                .hasMessage(
                        "cannot start workspace %s: no config.yaml source and config volume is empty".formatted(plain)
                                + " — delete the workspace or provide a template");
        template("echo", "config.yaml", "name: of the runtime\n");
        template("echo-default", "note.md", "no config");
        template("one", "config.yaml", "name: one\n");
        configs.prepare(provisioning.registry.get(plain)).await();
        configs.prepare(provisioning.registry.get(ofOne)).await();

        assertThat(text(plain, "config.yaml")).isEqualTo("name: of the runtime\n");
        assertThat(text(plain, "note.md")).isEqualTo("(none)");
        assertThat(text(ofOne, "config.yaml")).isEqualTo("name: one\n");
    }

    @Test
    void a_runtime_that_no_config_can_name_runs_like_langgraph() {
        assertThat(text(prepared("A", "odd: {x} #1", null), "config.yaml")).contains("\nruntime: langgraph\n");
    }

    @Test
    void what_is_there_already_stays() throws IOException {
        template("one", "config.yaml", "name: template\n");
        template("one", "prompt.md", "template");
        template("one", "skills/a/b.md", "template");
        var early = provisioning.registry.create("A", "echo", "one", null);
        write(early, "prompt.md", "mine");
        write(early, "skills", "a file of mine");

        configs.prepare(provisioning.registry.get(early)).await();
        assertThat(text(early, "prompt.md")).isEqualTo("mine");
        assertThat(text(early, "skills")).isEqualTo("a file of mine");
        assertThat(text(early, "config.yaml")).isEqualTo("name: template\n");

        write(early, "config.yaml", "name: edited\n");
        template("one", "new.md", "later");
        configs.prepare(provisioning.registry.get(early)).await();
        assertThat(text(early, "config.yaml")).isEqualTo("name: edited\n");
        assertThat(text(early, "new.md")).isEqualTo("(none)");
    }

    @Test
    void an_edit_survives_the_start_and_every_restart() throws IOException {
        template("one", "config.yaml", "name: template\nruntime: echo\n");
        provisioning.start();
        var id = provisioning.registry.create("A", "echo", "one", null);
        provisioning.reconcile(id);
        assertThat(text(id, "config.yaml")).startsWith("name: template");

        write(id, "config.yaml", "name: mine\nruntime: echo\n");
        provisioning.registry.restart(id);
        provisioning.reconcile(id);

        assertThat(text(id, "config.yaml")).startsWith("name: mine");
        assertThat(text(id, ".auth_token")).isEqualTo("token-2");
    }

    @Test
    void a_start_that_finds_no_room_for_its_configs_fails_with_the_reason() throws IOException {
        var id = provisioning.registry.create("A", "echo", null, null);
        Files.createDirectories(data.resolve("workspaces/" + id));
        Files.createSymbolicLink(data.resolve("workspaces/" + id + "/configs"), data);

        assertThatThrownBy(() -> configs.prepare(provisioning.registry.get(id)).await())
                .isInstanceOf(StartRefused.class)
                .hasMessage("its configs cannot be written: invalid path");
    }

    @Test
    void a_restart_applies_a_template_only_when_it_is_asked_to() throws IOException {
        template("one", "config.yaml", "name: one\n");
        template("my-agent", "config.yaml", "name: by folder\n");
        template("other", "config.yaml", "name: Other Agent\n");
        template("ws-123", "config.yaml", "name: Hidden\n");
        template("echo-default", "config.yaml", "name: default\n");
        template("org-templates/team", "config.yaml", "name: Lead\n");

        assertThat(reapplied("My Agent", null, false, false)).isEqualTo(List.of("existing-volume", "(none)"));
        assertThat(reapplied("My Agent", "one", true, true)).isEqualTo(List.of("one", "name: one\n"));
        assertThat(reapplied("My Agent", "gone", true, false)).isEqualTo(List.of("my-agent", "name: by folder\n"));
        assertThat(reapplied("other AGENT", null, true, false)).isEqualTo(List.of("other", "name: Other Agent\n"));
        assertThat(reapplied("lead", null, false, true)).isEqualTo(List.of("org-templates/team", "name: Lead\n"));
        assertThat(reapplied("Hidden", null, true, true)).isEqualTo(List.of("echo-default", "name: default\n"));
        assertThat(reapplied("Nobody", "gone", false, true)).isEqualTo(List.of("existing-volume", "(none)"));
        assertThatThrownBy(() -> reapplied("A", "../x", false, false)).hasMessage("invalid template");
    }

    private List<String> reapplied(String name, @Nullable String template, boolean byName, boolean rebuild) {
        var id = UUID.randomUUID();
        String label = configs.reapply(id, name, "echo", new Wish(template, byName, rebuild))
                .await();
        return List.of(label, text(id, "config.yaml"));
    }

    private UUID prepared(String name, String runtime, @Nullable String template) {
        var id = provisioning.registry.create(name, runtime, template, null);
        configs.prepare(provisioning.registry.get(id)).await();
        return id;
    }

    private void template(String name, String path, String text) throws IOException {
        var file = data.resolve("templates").resolve(name).resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void write(UUID id, String path, String text) {
        provisioning
                .backend()
                .files()
                .write(id, Root.CONFIGS, Map.of(FilePath.of(path), Buffer.buffer(text)))
                .await();
    }

    private String text(UUID id, String path) {
        return provisioning
                .backend()
                .files()
                .read(id, Root.CONFIGS, FilePath.of(path))
                .await()
                .map(Buffer::toString)
                .orElse("(none)");
    }
}
