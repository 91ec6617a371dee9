package ai.molecule.provisioner.files;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.multipart.MultipartForm;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose files are kept here at all, and how much of them. */
@ExtendWith(VertxExtension.class)
class BoundingFilesTest {

    private static final int MIB = 1 << 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    private UUID id = UUID.randomUUID();

    @BeforeEach
    void start(Vertx vertx) {
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY)
                .quota(Map.of(
                        "MOLECULE_FILES_MAX_BYTES", String.valueOf(4 * MIB),
                        "MOLECULE_FILES_MAX", "100",
                        "MOLECULE_UPLOADS_MAX_BYTES", String.valueOf(2 * MIB)))
                .start();
        client = provisioning.serve(provisioning.backend());
        id = provisioning.registry.create("echo");
        provisioning.registry.pause(id);
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"langgraph", "echo", "external"})
    void nothing_is_made_for_one_that_registered_by_itself(String runtime) {
        id = provisioning.registry.stranger("Stranger", runtime);
        var notHere = "503 {\"error\":\"workspace container not running\"}";

        assertThat(send(HttpMethod.GET, "/files?depth=5", "")).isEqualTo("200 []");
        assertThat(send(HttpMethod.GET, "/files/config.yaml", "")).startsWith("404 ");
        assertThat(put("a", 1)).isEqualTo(notHere);
        assertThat(send(HttpMethod.PUT, "/files", "{\"files\":{\"a\":\"b\"}}")).isEqualTo(notHere);
        assertThat(send(HttpMethod.DELETE, "/files/a", "")).isEqualTo(notHere);
        assertThat(upload(1)).isEqualTo(notHere);
        assertThat(send(HttpMethod.GET, "/chat/download?path=/workspace/a", "")).isEqualTo(notHere);
        assertThat(send(HttpMethod.GET, "/shared-context", "")).isEqualTo("200 []");
        assertThat(send(HttpMethod.GET, "/plugins", "")).isEqualTo("200 []");
        send(HttpMethod.POST, "/restart", "");

        assertThat(data.resolve("workspaces").resolve(id.toString())).doesNotExist();
    }

    @Test
    void a_full_workspace_takes_nothing_until_something_is_deleted() {
        for (int i = 0; i < 3; i++) {
            assertThat(put("part-" + i, MIB)).startsWith("200 ");
        }

        assertThat(put("too-much", 2 * MIB))
                .isEqualTo("507 {\"error\":\"workspace is full: its folders may hold 4 MiB and 100 files\"}");
        assertThat(send(HttpMethod.DELETE, "/files/part-0", "")).startsWith("200 ");
        assertThat(put("too-much", 2 * MIB - 100)).startsWith("200 ");
    }

    @Test
    void what_an_agent_wrote_itself_counts() throws Exception {
        var folder = Files.createDirectories(data.resolve("workspaces/" + id + "/workspace"));
        Files.write(folder.resolve("clone"), new byte[4 * MIB]);

        assertThat(put("note", 10)).startsWith("507 ");
    }

    @Test
    void many_small_files_are_bounded_too() {
        var files = new JsonObject();
        for (int i = 0; i < 90; i++) {
            files.put("n/" + i, "");
        }
        assertThat(send(
                        HttpMethod.PUT,
                        "/files",
                        new JsonObject().put("files", files).encode()))
                .startsWith("200 ");

        assertThat(send(
                        HttpMethod.PUT,
                        "/files",
                        new JsonObject().put("files", files).encode()))
                .startsWith("507 ");
    }

    @Test
    void what_arrives_with_chats_has_a_bound_of_its_own() {
        assertThat(upload(MIB)).startsWith("200 ");

        assertThat(upload(MIB + 1))
                .isEqualTo("507 {\"error\":\"workspace is full: its chats may hold 2 MiB and 10000 files\"}");
        assertThat(put("note", 10)).startsWith("200 ");
        assertThat(data.resolve("uploads")).isEmptyDirectory();
    }

    private String put(String name, int bytes) {
        return send(
                HttpMethod.PUT,
                "/files/" + name,
                new JsonObject().put("content", "x".repeat(bytes)).encode());
    }

    private String upload(int bytes) {
        var form = MultipartForm.create()
                .binaryFileUpload("files", "a.bin", Buffer.buffer(new byte[bytes]), "application/octet-stream");
        var answer = client.post("/workspaces/" + id + "/chat/uploads")
                .sendMultipartForm(form)
                .await();
        return answer.statusCode() + " " + answer.bodyAsString();
    }

    private String send(HttpMethod method, String path, String body) {
        var answer = client.request(method, "/workspaces/" + id + path)
                .sendBuffer(Buffer.buffer(body))
                .await();
        return answer.statusCode() + " " + answer.bodyAsString();
    }
}
