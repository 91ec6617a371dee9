package ai.molecule.provisioner.files;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.NoBackend;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The file routes as a client sees them, of workspaces whose agents run, are stopped, or never started. */
@ExtendWith(VertxExtension.class)
@TestInstance(Lifecycle.PER_CLASS)
class UsingFilesTest {

    private static final String NOT_FOUND = "404 {\"error\":\"file not found\"}";
    private static final String NO_TEMPLATE = "404 {\"error\":\"file not found (container offline, no template)\"}";
    private static final String INVALID = "400 {\"error\":\"invalid path\"}";

    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    private UUID id = UUID.randomUUID();

    @BeforeAll
    void start(Vertx vertx, @TempDir Path folder) {
        data = folder;
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start();
        client = provisioning.serve(provisioning.backend());
    }

    @BeforeEach
    void create() {
        id = provisioning.registry.create("Agent", "echo", null, null);
        provisioning.registry.pause(id);
    }

    @AfterAll
    void close() {
        provisioning.close();
    }

    @Test
    void what_is_written_is_listed_read_and_deleted() {
        assertThat(put("/files/skills/a%20b/SKILL.md", "{\"content\":\"# ä\"}"))
                .isEqualTo("200 {\"status\":\"saved\",\"path\":\"skills/a b/SKILL.md\"}");

        assertThat(get("/files?depth=5")).isEqualTo("""
                200 [{"path":"skills","size":0,"dir":true},{"path":"skills/a b","size":0,"dir":true},\
                {"path":"skills/a b/SKILL.md","size":4,"dir":false}]""");
        assertThat(get("/files?path=skills/a%20b")).isEqualTo("200 [{\"path\":\"SKILL.md\",\"size\":4,\"dir\":false}]");
        assertThat(get("/files/skills/a%20b/SKILL.md"))
                .isEqualTo("200 {\"path\":\"skills/a b/SKILL.md\",\"content\":\"# ä\",\"size\":4}");
        assertThat(delete("/files/skills")).isEqualTo("200 {\"status\":\"deleted\",\"path\":\"skills\"}");
        assertThat(delete("/files/skills")).isEqualTo(NOT_FOUND);
        assertThat(get("/files")).isEqualTo("200 []");
    }

    @Test
    void what_a_stopped_agent_does_not_have_is_read_from_the_template_of_its_name() throws IOException {
        var template = Files.createDirectories(data.resolve("templates/night-shift"));
        Files.writeString(template.resolve("config.yaml"), "name: Night Shift\n");
        Files.writeString(template.resolve("prompt.md"), "from the template");
        Files.writeString(template.resolve(".auth_token"), "nobody's");
        id = provisioning.registry.create("Night Shift", "echo", null, null);
        provisioning.registry.pause(id);
        put("/files/config.yaml", "{\"content\":\"mine\"}");

        assertThat(get("/files/config.yaml")).contains("\"content\":\"mine\"");
        assertThat(get("/files/prompt.md"))
                .isEqualTo("200 {\"path\":\"prompt.md\",\"content\":\"from the template\",\"size\":17}");
        assertThat(get("/files/none.md")).isEqualTo(NOT_FOUND);
        assertThat(get("/files/.auth_token")).isEqualTo(NOT_FOUND);
        assertThat(get("/files/prompt.md?root=/workspace")).isEqualTo(NOT_FOUND);
        assertThat(put("/files", "{\"files\":{\"a\":\"1\"}}")).contains("\"source\":\"volume\"");

        provisioning.registry.online(id);

        assertThat(get("/files/prompt.md")).isEqualTo(NOT_FOUND);
        assertThat(put("/files", "{\"files\":{\"a\":\"1\"}}")).contains("\"source\":\"container\"");
    }

    @Test
    void many_files_are_written_at_once_and_the_others_stay() {
        put("/files/kept?root=/workspace", "{\"content\":\"k\"}");

        assertThat(put("/files?root=/workspace", "{\"files\":{\"a/b\":\"1\",\"c\":\"\"}}"))
                .isEqualTo("200 {\"status\":\"replaced\",\"workspace\":\"Agent\",\"files\":2,\"source\":\"volume\"}");

        assertThat(get("/files?root=/workspace&depth=2")).isEqualTo("""
                200 [{"path":"a","size":0,"dir":true},{"path":"a/b","size":1,"dir":false},\
                {"path":"c","size":0,"dir":false},{"path":"kept","size":1,"dir":false}]""");
    }

    @Test
    void a_running_and_a_paused_agents_files_are_the_same() throws IOException {
        start(id);
        assertThat(get("/files")).isEqualTo("200 [{\"path\":\"config.yaml\",\"size\":144,\"dir\":false}]");
        put("/files/note?root=/home", "{\"content\":\"for you\"}");
        assertThat(data.resolve("workspaces/" + id + "/workspace/note")).hasContent("for you");

        provisioning.registry.pause(id);
        provisioning.reconcile(id);

        put("/files/config.yaml", "{\"content\":\"runtime: delegate\\n\"}");
        assertThat(get("/files/config.yaml")).contains("runtime: delegate");
        assertThat(get("/files/note?root=/workspace")).contains("for you");
    }

    @Test
    void the_agents_token_is_nobodys_to_see_or_change() throws IOException {
        start(id);
        assertThat(Files.exists(data.resolve("workspaces/" + id + "/configs/.auth_token")))
                .isTrue();

        assertThat(get("/files?depth=5")).doesNotContain("token");
        assertThat(get("/files/.auth_token")).isEqualTo(NOT_FOUND);
        assertThat(get("/chat/download?path=/configs/.auth_token")).isEqualTo(NOT_FOUND);
        assertThat(put("/files/.auth_token", "{\"content\":\"mine\"}")).isEqualTo(INVALID);
        assertThat(put("/files", "{\"files\":{\".auth_token\":\"mine\"}}")).isEqualTo(INVALID);
        assertThat(delete("/files/.auth_token")).isEqualTo(INVALID);
        put("/files/config.yaml", "{\"content\":\"shared_context: [.auth_token]\"}");
        assertThat(get("/shared-context")).isEqualTo("200 []");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "%2Fetc%2Fpasswd",
                "..%2Fx",
                "a%2F..%2F..%2Fx",
                "a%00b",
                "a%5Cb",
                "a%0Ab",
                "%2e%2e%2f%2e%2e%2fx",
                "a%2F%2Fb",
                ".%2Fa"
            })
    void paths_that_climb_are_refused(String path) {
        assertThat(get("/files/" + path)).isEqualTo(INVALID);
        assertThat(put("/files/" + path, "{\"content\":\"x\"}")).isEqualTo(INVALID);
        assertThat(delete("/files/" + path)).isEqualTo(INVALID);
        assertThat(get("/files?path=" + path)).isEqualTo(INVALID);
    }

    @Test
    void links_lead_nowhere() throws IOException {
        put("/files/x?root=/workspace", "{\"content\":\"x\"}");
        var folder = data.resolve("workspaces/" + id + "/workspace");
        Files.createSymbolicLink(folder.resolve("out"), data);
        Files.createSymbolicLink(folder.resolve("name"), Path.of("/etc/hostname"));

        assertThat(get("/files?root=/workspace&depth=5")).isEqualTo("200 [{\"path\":\"x\",\"size\":1,\"dir\":false}]");
        assertThat(get("/files/name?root=/workspace")).isEqualTo(NO_TEMPLATE);
        assertThat(get("/chat/download?path=/workspace/name")).isEqualTo(NOT_FOUND);
        assertThat(put("/files/out/evil?root=/workspace", "{\"content\":\"x\"}"))
                .isEqualTo(INVALID);
        assertThat(data.resolve("evil")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "?root=/etc       | 400 {\"error\":\"root must be one of: /configs, /workspace, /home, /plugins\"}",
                "?root=configs    | 400 {\"error\":\"root must be one of: /configs, /workspace, /home, /plugins\"}",
                "?depth=0         | 400 {\"error\":\"depth must be 1-5\"}",
                "?depth=6         | 400 {\"error\":\"depth must be 1-5\"}",
                "?depth=x         | 400 {\"error\":\"depth must be 1-5\"}",
                "/                | 200 []",
                "/config.yaml     | 404 {\"error\":\"file not found (container offline, no template)\"}",
            })
    void what_a_reader_may_ask(String query, String answer) {
        assertThat(get("/files" + query)).isEqualTo(answer);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "[]", "{}", "{\"content\":7}", "{\"files\":{}}", "{\"files\":{\"a\":1}}", "{\"files\":[]}"})
    void bodies_that_are_none_change_nothing(String body) {
        assertThat(put("/files/a", body)).isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(put("/files", body)).isEqualTo("400 {\"error\":\"invalid request body\"}");

        assertThat(get("/files")).isEqualTo("200 []");
    }

    @Test
    void sizes_and_numbers_are_bounded() {
        String large = "x".repeat(WorkspaceFiles.FILE_MAX_BYTES);
        assertThat(put("/files/a", Json.text(Json.object().put("content", large))))
                .startsWith("200 ");
        assertThat(put("/files/a", Json.text(Json.object().put("content", large + "x"))))
                .isEqualTo("413 {\"error\":\"a file may hold 5 MiB\"}");
        assertThat(put("/files/a", Json.text(Json.object().put("content", large + large))))
                .startsWith("413 ");
        String many = IntStream.range(0, 201)
                .mapToObj(i -> "\"f%d\":\"\"".formatted(i))
                .collect(Collectors.joining(",", "{\"files\":{", "}}"));
        assertThat(put("/files", many)).isEqualTo("400 {\"error\":\"too many files (201), max 200\"}");
    }

    @Test
    void unknown_and_removed_workspaces_have_no_files_and_agents_elsewhere_none_of_ours(Vertx vertx) {
        String unknown = "404 {\"error\":\"workspace not found\"}";
        var removed = id;
        provisioning.registry.remove(removed);
        assertThat(get("/files")).isEqualTo(unknown);
        assertThat(put("/files/a", "{\"content\":\"x\"}")).isEqualTo(unknown);
        id = UUID.randomUUID();
        assertThat(get("/files/a")).isEqualTo(unknown);
        assertThat(delete("/files/a")).isEqualTo(unknown);
        assertThat(get("/shared-context")).isEqualTo(unknown);
        id = provisioning.registry.create("external");
        String elsewhere = "503 {\"error\":\"workspace container not running\"}";
        assertThat(get("/files")).isEqualTo("200 []");
        assertThat(get("/files/a")).isEqualTo(NOT_FOUND);
        assertThat(put("/files/a", "{\"content\":\"x\"}")).isEqualTo(elsewhere);
        client = provisioning.serve(new NoBackend());
        id = provisioning.registry.create("echo");
        assertThat(get("/files")).isEqualTo("200 []");
        assertThat(put("/files/a", "{\"content\":\"x\"}")).isEqualTo(elsewhere);
        client = provisioning.serve(provisioning.backend());
    }

    @Test
    void a_parent_shares_what_its_config_names() {
        put("/files", """
                {"files":{"config.yaml":"shared_context:\\n- docs/b.md\\n- a.md\\n- missing.md\\n- ../x\\n- 7\\n",\
                "a.md":"A","docs/b.md":"B","c.md":"C"}}""");

        assertThat(get("/shared-context"))
                .isEqualTo("200 [{\"path\":\"docs/b.md\",\"content\":\"B\"},{\"path\":\"a.md\",\"content\":\"A\"}]");
        put("/files/config.yaml", "{\"content\":\"shared_context: &a [*a]\"}");
        assertThat(get("/shared-context")).isEqualTo("200 []");
    }

    private void start(UUID workspaceId) {
        provisioning.registry.restart(workspaceId);
        provisioning.reconcile(workspaceId);
    }

    private String get(String path) {
        return send(HttpMethod.GET, path, "");
    }

    private String put(String path, String body) {
        return send(HttpMethod.PUT, path, body);
    }

    private String delete(String path) {
        return send(HttpMethod.DELETE, path, "");
    }

    private String send(HttpMethod method, String path, String body) {
        var response = client.request(method, "/workspaces/" + id + path)
                .sendBuffer(Buffer.buffer(body))
                .await();
        return response.statusCode() + " " + response.bodyAsString();
    }
}
