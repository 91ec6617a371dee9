package ai.molecule.provisioner.templates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.TemplateRuntime;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.yaml.BoundedYaml;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Templates as people put them there, and what is told of them. */
@ExtendWith(VertxExtension.class)
@TestInstance(Lifecycle.PER_CLASS)
class ImportingTemplatesTest {

    @SuppressWarnings("NullAway.Init")
    private Path templates;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    @BeforeAll
    void start(Vertx vertx, @TempDir Path data) {
        templates = data.resolve("templates");
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start();
        client = provisioning.serve(provisioning.backend());
    }

    @BeforeEach
    void empty() throws IOException {
        if (Files.exists(templates)) {
            try (var found = Files.walk(templates)) {
                found.sorted(Comparator.reverseOrder())
                        .forEach(path -> path.toFile().delete());
            }
        }
    }

    @AfterAll
    void close() {
        provisioning.close();
    }

    @Test
    void an_imported_template_is_there_and_listed() throws IOException {
        assertThat(importing("""
                {"name":"My R&D Agent","files":{"config.yaml":"name: Researcher\\ntier: 2\\nruntime: echo\\nskills: [a]\\n\
                runtime_config:\\n  model: m\\n  models: [{id: m}]\\n  required_env: [KEY]\\n  provision_timeout_seconds: 90\\n",\
                "skills/a/SKILL.md":"x"}}"""))
                .isEqualTo("201 {\"status\":\"imported\",\"id\":\"my-rd-agent\",\"name\":\"My R&D Agent\"}");

        assertThat(templates.resolve("my-rd-agent/skills/a/SKILL.md")).hasContent("x");
        assertThat(list()).isEqualTo("""
                200 [{"id":"my-rd-agent","name":"Researcher","description":"","tier":2,"runtime":"echo","model":"m",\
                "models":[{"id":"m"}],"required_env":["KEY"],"skills":["a"],"skill_count":1,"provision_timeout_seconds":90}]""");
    }

    @Test
    void a_template_without_config_gets_one() throws IOException {
        importing("""
                {"name":"Say \\"hi\\"","files":{"b.md":"","a.md":"","docs/c.md":"","skills/one/SKILL.md":"","skills/x.md":""}}""");

        var config = BoundedYaml.parse(Files.readString(templates.resolve("say-hi/config.yaml")));
        assertThat(config).hasToString("""
                {"name":"Say \\"hi\\"","description":"Imported agent","version":"1.0.0","tier":3,\
                "model":"anthropic:claude-haiku-4-5-20251001","prompt_files":["a.md","b.md"],"skills":["one"],"tools":[],\
                "a2a":{"port":8000,"streaming":true,"push_notifications":true},\
                "env":{"required":["ANTHROPIC_API_KEY"]}}""");
        assertThat(list()).contains("\"skills\":[\"one\"],\"skill_count\":1");
    }

    @Test
    void an_existing_template_is_not_touched() {
        importing("{\"name\":\"One\",\"files\":{\"a.md\":\"first\"}}");

        assertThat(importing("{\"name\":\"ONE\",\"files\":{\"a.md\":\"second\"}}"))
                .isEqualTo("409 {\"error\":\"template already exists\",\"id\":\"one\"}");

        assertThat(templates.resolve("one/a.md")).hasContent("first");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"name\":\"x\"}",
                "{\"name\":\"\",\"files\":{\"a\":\"\"}}",
                "{\"name\":\"x\",\"files\":{}}",
                "{\"name\":\"x\",\"files\":{\"a\":1}}",
                "{\"name\":\"x\",\"files\":{\"../a\":\"\"}}",
                "{\"name\":\"x\",\"files\":{\"/a\":\"\"}}",
                "{\"name\":\"x\",\"files\":{\"\":\"\"}}",
                "{\"name\":\"x\",\"files\":{\"a\":\"\",\"a/b\":\"\"}}",
            })
    void what_is_no_template_leaves_nothing(String body) {
        assertThat(importing(body)).isEqualTo("400 {\"error\":\"invalid request body\"}");

        assertThat(list()).isEqualTo("200 []");
        assertThat(templates)
                .satisfiesAnyOf(
                        path -> assertThat(path).doesNotExist(),
                        path -> assertThat(path).isEmptyDirectory());
    }

    @Test
    void too_many_files_and_a_config_that_is_none_are_refused() {
        String many = IntStream.range(0, 201)
                .mapToObj(i -> "\"f%d\":\"\"".formatted(i))
                .collect(Collectors.joining(","));
        assertThat(importing("{\"name\":\"x\",\"files\":{" + many + "}}"))
                .isEqualTo("400 {\"error\":\"too many files (201), max 200\"}");
        assertThat(importing("{\"name\":\"x\",\"files\":{\"config.yaml\":\"- a\"}}"))
                .isEqualTo("400 {\"error\":\"config.yaml is no mapping\"}");
        assertThat(importing("{\"name\":\"x\",\"files\":{\"config.yaml\":\"a: &a [*a]\"}}"))
                .startsWith("400 {\"error\":\"config.yaml is");
    }

    @Test
    void broken_folders_are_not_listed() throws IOException {
        for (String name : new String[] {"empty", "broken", ".hidden", "list"}) {
            Files.createDirectories(templates.resolve(name));
        }
        Files.writeString(templates.resolve("broken/config.yaml"), "a: [");
        Files.writeString(templates.resolve(".hidden/config.yaml"), "name: x");
        Files.writeString(templates.resolve("list/config.yaml"), "- a");
        Files.writeString(templates.resolve("file"), "x");

        assertThat(list()).isEqualTo("200 []");
    }

    @Test
    void the_registry_is_told_what_a_template_asks_for(Vertx vertx) throws IOException {
        var bus = new Bus(vertx);
        var served = new Templates(vertx, templates);
        bus.serve(TemplateRuntime.CONTRACT, served::runtimeOf).await();
        importing("{\"name\":\"one\",\"files\":{\"config.yaml\":\"runtime: echo\\nmodel: m\\n\"}}");
        Files.createSymbolicLink(templates.resolve("out"), Path.of("/etc"));

        assertThat(ask(bus, "one")).isEqualTo(new TemplateRuntime.Answer("echo", "m"));
        assertThat(ask(bus, "none")).isEqualTo(new TemplateRuntime.Answer(null, null));
        for (String escaping : new String[] {"..", "/etc", "a/../..", "out"}) {
            assertThatThrownBy(() -> ask(bus, escaping)).hasMessage("invalid template");
        }
    }

    private static TemplateRuntime.Answer ask(Bus bus, String template) {
        return bus.call(TemplateRuntime.CONTRACT, new TemplateRuntime(template)).await();
    }

    private String importing(String body) {
        var response =
                client.post("/templates/import").sendBuffer(Buffer.buffer(body)).await();
        return response.statusCode() + " " + response.bodyAsString();
    }

    private String list() {
        var response = client.get("/templates").send().await();
        return response.statusCode() + " " + response.bodyAsString();
    }
}
