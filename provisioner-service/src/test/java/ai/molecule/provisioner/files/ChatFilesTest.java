package ai.molecule.provisioner.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.testing.Wire;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.multipart.MultipartForm;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is attached to a chat, on its way to an agent and back. */
@ExtendWith(VertxExtension.class)
@TestInstance(Lifecycle.PER_CLASS)
class ChatFilesTest {

    private static final int MIB = 1024 * 1024;
    private static final String MALFORMED = "400 {\"error\":\"failed to parse multipart form\"}";

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
        id = provisioning.registry.create("echo");
        provisioning.registry.pause(id);
    }

    @AfterAll
    void close() {
        provisioning.close();
    }

    @Test
    void what_was_uploaded_lies_with_the_agent_and_is_downloaded_as_it_was() throws IOException {
        var picture = Buffer.buffer(new byte[] {0, 1, 2, (byte) 255});
        var form = MultipartForm.create()
                .binaryFileUpload("files", "my picture.png", picture, "image/png")
                .binaryFileUpload("other", "ignored.txt", Buffer.buffer("x"), "text/plain")
                .attribute("note", "ignored")
                .textFileUpload("files", "../../etc/pass wd", Buffer.buffer("hello"), "text/plain");

        var stored = files(upload(form));

        assertThat(stored).hasSize(2);
        assertThat(stored.get(0).path("uri").asText())
                .matches("workspace:/workspace/\\.molecule/chat-uploads/[0-9a-f]{32}-my_picture\\.png");
        assertThat(stored.get(0).path("name").asText()).isEqualTo("my_picture.png");
        assertThat(stored.get(0).path("mimeType").asText()).isEqualTo("image/png");
        assertThat(stored.get(0).path("size").asInt()).isEqualTo(4);
        assertThat(stored.get(1).path("uri").asText()).endsWith("-pass_wd");
        var onDisk = data.resolve("workspaces/" + id + pathOf(stored.get(0)));
        assertThat(Files.readAllBytes(onDisk)).isEqualTo(picture.getBytes());
        var downloaded = client.get("/workspaces/" + id + "/chat/download")
                .addQueryParam("path", pathOf(stored.get(0)))
                .send()
                .await();
        assertThat(downloaded.statusCode()).isEqualTo(200);
        assertThat(downloaded.body().getBytes()).isEqualTo(picture.getBytes());
        assertThat(downloaded.getHeader("Content-Type")).isEqualTo("image/png");
        assertThat(downloaded.getHeader("Content-Length")).isEqualTo("4");
        assertThat(downloaded.getHeader("Content-Disposition"))
                .matches(
                        "attachment; filename=\"[0-9a-f]{32}-my_picture\\.png\"; filename\\*=UTF-8''.*-my_picture\\.png");
    }

    @Test
    void a_person_downloads_nothing_any_more_once_their_role_is_withdrawn() {
        String path = pathOf(files(upload(MultipartForm.create()
                        .binaryFileUpload("files", "a.txt", Buffer.buffer("hello"), "text/plain")))
                .getFirst());
        provisioning.registry.person("kims", person(Role.VIEWER));
        assertThat(downloadedBy("kims", path)).isEqualTo(200);

        provisioning.registry.person("kims", person(null));

        await().untilAsserted(() -> assertThat(downloadedBy("kims", path)).isIn(401, 403, 404));
    }

    private int downloadedBy(String bearer, String path) {
        return client.get("/workspaces/" + id + "/chat/download")
                .addQueryParam("path", path)
                .bearerTokenAuthentication(bearer)
                .send()
                .await()
                .statusCode();
    }

    private Person person(@Nullable Role there) {
        return new Person(
                UUID.randomUUID(),
                "kim",
                "Kim",
                null,
                there,
                there == null ? List.of() : List.of(id),
                "session:0123abcd");
    }

    @Test
    void large_files_pass_and_larger_ones_leave_nothing() {
        var large = Buffer.buffer(new byte[24 * MIB]);
        assertThat(files(upload(MultipartForm.create().binaryFileUpload("files", "l.bin", large, "x/y")))
                        .getFirst()
                        .path("size")
                        .asInt())
                .isEqualTo(24 * MIB);
        create();

        assertThat(upload(MultipartForm.create()
                        .binaryFileUpload("files", "ok.txt", Buffer.buffer("x"), "text/plain")
                        .binaryFileUpload("files", "big.bin", Buffer.buffer(new byte[25 * MIB + 1]), "x/y")))
                .isEqualTo("413 {\"error\":\"big.bin exceeds per-file limit (25 MB)\"}");
        assertThat(data.resolve("workspaces/" + id)).doesNotExist();
        assertNothingTemporary();
    }

    @Test
    void what_is_no_form_is_refused() {
        assertThat(send("", null)).isEqualTo(MALFORMED);
        assertThat(send("{}", "application/json")).isEqualTo(MALFORMED);
        assertThat(send("no boundary here", "multipart/form-data")).isEqualTo(MALFORMED);
        assertThat(send("--b\r\nContent-Disp", "multipart/form-data; boundary=b"))
                .startsWith("400 ");
        String cut =
                "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\n" + "x".repeat(50_000);
        assertThat(send(cut, "multipart/form-data; boundary=b")).isEqualTo(MALFORMED);
        assertThat(upload(MultipartForm.create().attribute("files", "text")))
                .isEqualTo("400 {\"error\":\"expected at least one 'files' field\"}");
        assertThat(send("", "multipart/form-data; boundary=b")).startsWith("400 ");
        assertNothingTemporary();
    }

    @Test
    void an_agent_elsewhere_takes_no_files_from_us() {
        id = provisioning.registry.create("external");
        String elsewhere = "503 {\"error\":\"workspace container not running\"}";

        assertThat(upload(MultipartForm.create().binaryFileUpload("files", "a", Buffer.buffer("x"), "x/y")))
                .isEqualTo(elsewhere);
        assertThat(download("/workspace/a")).isEqualTo(elsewhere);
        id = UUID.randomUUID();
        assertThat(download("/workspace/a")).isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertNothingTemporary();
    }

    @Test
    void who_hangs_up_in_the_middle_leaves_nothing() throws IOException {
        try (var socket = new Socket("127.0.0.1", provisioning.port())) {
            beginForm(socket);
            await().until(() -> !temporary().isEmpty());
        }

        assertNothingTemporary();
        assertThat(data.resolve("workspaces/" + id)).doesNotExist();
    }

    /** Several times: what was sent and the end of the connection may come in either order. */
    @RepeatedTest(10)
    void who_hangs_up_before_anything_is_read_leaves_nothing() throws Exception {
        var asked = new CompletableFuture<Void>();
        var answer = Promise.<Void>promise();
        provisioning.registry.wire(new Wire() {
            @Override
            public <T> Future<T> pass(Supplier<Future<T>> effect) {
                asked.complete(null);
                return answer.future().compose(now -> effect.get());
            }
        });
        try (var socket = new Socket("127.0.0.1", provisioning.port())) {
            beginForm(socket);
            asked.get(1, TimeUnit.MINUTES);
        } finally {
            provisioning.registry.wire(Wire.WHOLE);
        }
        assertThat(download("")).startsWith("400 "); // by then the closing was noticed
        answer.complete();

        upload(MultipartForm.create()
                .binaryFileUpload("files", "a", Buffer.buffer("x"), "x/y")); // which ends behind it
        assertNothingTemporary();
    }

    /** The first half of a file. */
    private void beginForm(Socket socket) throws IOException {
        socket.getOutputStream().write("""
                POST /workspaces/%s/chat/uploads HTTP/1.1\r
                Host: 127.0.0.1\r
                Content-Length: 1000000\r
                Content-Type: multipart/form-data; boundary=b\r
                \r
                --b\r
                Content-Disposition: form-data; name="files"; filename="a"\r
                \r
                %s""".formatted(id, "x".repeat(50_000)).getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    @Test
    void a_form_that_says_it_is_too_large_is_not_read() throws IOException {
        try (var socket = new Socket("127.0.0.1", provisioning.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write("""
                    POST /workspaces/%s/chat/uploads HTTP/1.1\r
                    Host: 127.0.0.1\r
                    Content-Length: %d\r
                    Content-Type: multipart/form-data; boundary=b\r
                    \r
                    """.formatted(id, 51L * MIB).getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();

            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 400");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                     | 400 {\"error\":\"path query required\"}",
                "workspace/a            | 400 {\"error\":\"path must be absolute\"}",
                "/etc/passwd            | 400 {\"error\":\"path must be under /configs, /workspace, /home, or /plugins\"}",
                "/workspacex/a          | 400 {\"error\":\"path must be under /configs, /workspace, /home, or /plugins\"}",
                "/workspace/../x        | 400 {\"error\":\"invalid path\"}",
                "/workspace//x          | 400 {\"error\":\"invalid path\"}",
                "/workspace             | 400 {\"error\":\"path is not a regular file\"}",
                "/workspace/.molecule   | 400 {\"error\":\"path is not a regular file\"}",
                "/workspace/none        | 404 {\"error\":\"file not found\"}",
            })
    void what_cannot_be_downloaded(String path, String answer) {
        upload(MultipartForm.create().binaryFileUpload("files", "a", Buffer.buffer("x"), "x/y"));

        assertThat(download(path)).isEqualTo(answer);
    }

    @ParameterizedTest
    @CsvSource({
        "report.pdf, report.pdf",
        "a/b\\c d.txt, c_d.txt",
        "'', file",
        ".., file",
        "., file",
        "ünï.md, _n_.md",
        ".hidden, .hidden",
    })
    void names_are_made_plain(String sent, String kept) {
        assertThat(ChatFileName.sanitised(sent)).isEqualTo(kept);
        assertThat(ChatFileName.sanitised("x".repeat(300) + ".json"))
                .hasSize(100)
                .endsWith("x.json");
        assertThat(ChatFileName.sanitised("x".repeat(300) + "." + "y".repeat(30)))
                .hasSize(100)
                .endsWith("xx");
    }

    private String upload(MultipartForm form) {
        var response = client.post("/workspaces/" + id + "/chat/uploads")
                .sendMultipartForm(form)
                .await();
        return response.statusCode() + " " + response.bodyAsString();
    }

    private String send(String body, @Nullable String type) {
        var request = client.post("/workspaces/" + id + "/chat/uploads");
        if (type != null) {
            request.putHeader("Content-Type", type);
        }
        var response = request.sendBuffer(Buffer.buffer(body)).await();
        return response.statusCode() + " " + response.bodyAsString();
    }

    private String download(String path) {
        var response = client.get("/workspaces/" + id + "/chat/download")
                .addQueryParam("path", path)
                .send()
                .await();
        return response.statusCode() + " " + response.bodyAsString();
    }

    private void assertNothingTemporary() {
        await().untilAsserted(() -> assertThat(temporary()).isEmpty());
    }

    private List<Path> temporary() throws IOException {
        if (!Files.exists(data.resolve("uploads"))) {
            return List.of();
        }
        try (var found = Files.list(data.resolve("uploads"))) {
            return found.toList();
        }
    }

    private static List<JsonNode> files(String answer) {
        assertThat(answer).startsWith("200 ");
        try {
            var stored = Json.parse(answer.substring(4).getBytes(StandardCharsets.UTF_8))
                    .path("files");
            return stored.valueStream().toList();
        } catch (IOException notJson) {
            throw new AssertionError(answer, notJson);
        }
    }

    private static String pathOf(JsonNode stored) {
        return stored.path("uri").asText().substring("workspace:".length());
    }
}
