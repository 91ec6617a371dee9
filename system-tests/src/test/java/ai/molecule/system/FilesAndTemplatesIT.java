package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** What people do with an agent's files, through the front door and with agents that run. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SharedPlatform.class)
class FilesAndTemplatesIT {

    private static final String TEMPLATE = """
            {"name":"House Echo","files":{"config.yaml":"name: House Echo\\nruntime: echo\\nmodel: none:at-all\\n",\
            "notes/rules.md":"be brief\\r\\n"}}""";

    private final HttpClient http = HttpClient.newHttpClient();
    private Platform platform;

    @BeforeAll
    void start(Platform shared) {
        platform = shared;
    }

    @Test
    void a_written_config_switches_the_runtime_at_the_next_restart() {
        String id = platform.create("Switcher", "echo", null);
        platform.awaitStatus(id, "online");
        assertThat(platform.say(id, "hello")).isEqualTo("Echo: hello");

        put(id, "/files/config.yaml", "{\"content\":\"name: Switcher\\nruntime: delegate\\n\"}");
        platform.post(200, "/workspaces/" + id + "/restart", "");

        platform.awaitStatus(id, "online");
        assertThat(platform.get("/workspaces/" + id).path("runtime").asText()).isEqualTo("delegate");
        assertThat(platform.say(id, "hello")).isNotEqualTo("Echo: hello");
    }

    @Test
    void an_agent_made_from_an_imported_template_keeps_its_edits() {
        platform.post(201, "/templates/import", TEMPLATE);
        assertThat(platform.get("/templates").findValuesAsText("id")).contains("house-echo");
        String id = platform.post(201, "/workspaces", "{\"name\":\"Tenant\",\"template\":\"house-echo\"}")
                .path("id")
                .asText();
        platform.awaitStatus(id, "online");
        assertThat(platform.get("/workspaces/" + id).path("runtime").asText()).isEqualTo("echo");
        assertThat(content(id, "notes/rules.md")).isEqualTo("be brief\n");

        put(id, "/files/notes/rules.md", "{\"content\":\"be kind\"}");
        put(id, "/files/config.yaml", "{\"content\":\"name: Mine\\nruntime: echo\\n\"}");
        platform.post(200, "/workspaces/" + id + "/restart", "");
        platform.awaitStatus(id, "online");

        assertThat(content(id, "notes/rules.md")).isEqualTo("be kind");
        assertThat(content(id, "config.yaml")).startsWith("name: Mine");
    }

    @Test
    void hostile_paths_and_links_lead_nowhere() throws IOException {
        String id = platform.create("Hostile", "echo", null);
        platform.awaitStatus(id, "online");
        var folder = platform.data().resolve("workspaces").resolve(id);
        Files.createSymbolicLink(folder.resolve("workspace/out"), platform.data());

        for (String path : new String[] {"..%2f..%2fsecrets", "%2fetc%2fpasswd", "a%00b"}) {
            assertThat(get(id, "/files/" + path).statusCode()).isEqualTo(400);
        }
        assertThat(get(id, "/files/.auth_token").statusCode()).isEqualTo(404);
        assertThat(get(id, "/chat/download?path=/workspace/out/secrets").statusCode())
                .isEqualTo(404);
        assertThat(get(id, "/files?root=/workspace&depth=5").body()).doesNotContain("out");
        var refused =
                send(id, "PUT", "/files/out/evil?root=/workspace", BodyPublishers.ofString("{\"content\":\"x\"}"));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(platform.data().resolve("evil")).doesNotExist();
    }

    @Test
    void an_upload_reaches_the_agent_and_comes_back_as_it_was() throws IOException {
        String id = platform.create("Reader", "echo", null);
        platform.awaitStatus(id, "online");
        byte[] picture = new byte[3 * 1024 * 1024];
        Arrays.fill(picture, (byte) 0xA7);

        var stored = upload(id, "shot 1.png", picture).path("files").get(0);

        String uri = stored.path("uri").asText();
        assertThat(uri)
                .startsWith("workspace:/workspace/.molecule/chat-uploads/")
                .endsWith("-shot_1.png");
        assertThat(platform.data().resolve("workspaces").resolve(id + uri.substring("workspace:".length())))
                .hasBinaryContent(picture);
        var message = """
                {"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"role":"user","messageId":"m-%s",\
                "parts":[{"kind":"text","text":"look"},\
                {"kind":"file","file":{"name":"shot_1.png","mimeType":"image/png","uri":"%s"}}]}}}""".formatted(id, uri);
        assertThat(platform.post(200, "/workspaces/" + id + "/a2a", message).toString())
                .contains("Echo: look", "-shot_1.png")
                .doesNotContain(platform.data().toString());
        assertThat(download(id, uri.substring("workspace:".length()))).isEqualTo(picture);
    }

    private String content(String id, String path) {
        return platform.get("/workspaces/" + id + "/files/" + path)
                .path("content")
                .asText();
    }

    private void put(String id, String path, String body) {
        var answer = send(id, "PUT", path, BodyPublishers.ofString(body));
        assertThat(answer.statusCode()).describedAs(answer.body()).isEqualTo(200);
    }

    private HttpResponse<String> get(String id, String path) {
        return send(id, "GET", path, BodyPublishers.noBody());
    }

    private HttpResponse<String> send(String id, String method, String path, BodyPublisher body) {
        var request = HttpRequest.newBuilder(URI.create(platform.url + "/workspaces/" + id + path))
                .method(method, body)
                .build();
        return exchange(request, BodyHandlers.ofString());
    }

    private byte[] download(String id, String path) {
        var request = HttpRequest.newBuilder(
                        URI.create(platform.url + "/workspaces/" + id + "/chat/download?path=" + path))
                .build();
        return exchange(request, BodyHandlers.ofByteArray()).body();
    }

    private JsonNode upload(String id, String name, byte[] content) throws IOException {
        String head = """
                --edge\r
                Content-Disposition: form-data; name="files"; filename="%s"\r
                Content-Type: image/png\r
                \r
                """.formatted(name);
        var body = BodyPublishers.concat(
                BodyPublishers.ofString(head),
                BodyPublishers.ofByteArray(content),
                BodyPublishers.ofString("\r\n--edge--\r\n"));
        var request = HttpRequest.newBuilder(URI.create(platform.url + "/workspaces/" + id + "/chat/uploads"))
                .header("Content-Type", "multipart/form-data; boundary=edge")
                .POST(body)
                .build();
        var answer = exchange(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).describedAs(answer.body()).isEqualTo(200);
        return Platform.JSON.readTree(answer.body());
    }

    private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return http.send(request, handler);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
