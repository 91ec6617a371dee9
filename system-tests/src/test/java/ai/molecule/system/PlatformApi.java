package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** The few HTTP calls that every test of a whole platform makes, each of which fails the test when it is not answered as expected. */
public class PlatformApi {

    public static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final String bearer;

    /** The front door, without a slash at the end. */
    public final String url;

    /** @param bearer null where the development hatch is open */
    protected PlatformApi(String url, String bearer) {
        this.url = url;
        this.bearer = bearer;
    }

    public JsonNode get(String path) {
        return expect(200, HttpRequest.newBuilder(uri(path)).GET());
    }

    public JsonNode post(int status, String path, String body) {
        return expect(status, HttpRequest.newBuilder(uri(path)).POST(BodyPublishers.ofString(body)));
    }

    /** As an agent does, with its token. */
    public JsonNode post(int status, String path, String body, String token) {
        return answer(
                status,
                HttpRequest.newBuilder(uri(path))
                        .header("Authorization", "Bearer " + token)
                        .POST(BodyPublishers.ofString(body)));
    }

    public JsonNode put(String path, String body) {
        return expect(200, HttpRequest.newBuilder(uri(path)).PUT(BodyPublishers.ofString(body)));
    }

    public JsonNode patch(String path, String body) {
        return patch(200, path, body);
    }

    public JsonNode patch(int status, String path, String body) {
        return expect(status, HttpRequest.newBuilder(uri(path)).method("PATCH", BodyPublishers.ofString(body)));
    }

    public JsonNode delete(String path) {
        return expect(200, HttpRequest.newBuilder(uri(path)).DELETE());
    }

    /** Makes something: 201. A part that is too busy to say that it is there is a 503, and asked again. */
    public JsonNode make(String path, String body) {
        return await().until(() -> unlessBusy(() -> post(201, path, body)), Optional::isPresent)
                .orElseThrow();
    }

    /** Creates a workspace and returns its id. */
    public String create(String name, String runtime, String parentId) {
        var body = JSON.createObjectNode().put("name", name).put("runtime", runtime);
        if (parentId != null) {
            body.put("parent_id", parentId);
        }
        return make("/workspaces", body.toString()).get("id").asText();
    }

    private static Optional<JsonNode> unlessBusy(Supplier<JsonNode> asked) {
        try {
            return Optional.of(asked.get());
        } catch (AssertionError refused) {
            if (String.valueOf(refused.getMessage()).contains("\"code\":\"platform_unavailable\"")) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    public String status(String workspaceId) {
        return get("/workspaces/" + workspaceId).get("status").asText();
    }

    /** A read that takes long on a busy machine is a 503, and asked again. */
    public void awaitStatus(String workspaceId, String status) {
        await().untilAsserted(() -> assertThat(status(workspaceId)).isEqualTo(status));
    }

    /** Sends text as the canvas does and returns the agent's text. */
    public String say(String workspaceId, String text) {
        return said(post(200, "/workspaces/" + workspaceId + "/a2a", message(text)));
    }

    /** The same as another agent does through the front door. */
    public String sayAs(String callerId, String workspaceId, String text) {
        String token = get("/admin/workspaces/" + callerId + "/test-token")
                .path("auth_token")
                .asText();
        return said(answer(
                200,
                HttpRequest.newBuilder(uri("/workspaces/" + workspaceId + "/a2a"))
                        .header("Authorization", "Bearer " + token)
                        .header("X-Workspace-ID", callerId)
                        .POST(BodyPublishers.ofString(message(text)))));
    }

    private static String message(String text) {
        var message = JSON.createObjectNode().put("method", "message/send");
        var inner = message.putObject("params").putObject("message").put("role", "user");
        inner.putArray("parts").addObject().put("kind", "text").put("text", text);
        return message.toString();
    }

    private static String said(JsonNode answer) {
        return answer.at("/result/parts/0/text").asText(answer.toString());
    }

    private JsonNode expect(int status, HttpRequest.Builder request) {
        if (bearer != null) {
            request.header("Authorization", "Bearer " + bearer);
        }
        return answer(status, request);
    }

    private JsonNode answer(int status, HttpRequest.Builder request) {
        try {
            var response = http.send(request.timeout(Duration.ofMinutes(3)).build(), BodyHandlers.ofString());
            if (response.statusCode() != status) {
                throw new AssertionError(
                        "%d instead of %d: %s".formatted(response.statusCode(), status, response.body()));
            }
            return JSON.readTree(response.body());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private URI uri(String path) {
        return URI.create(url + path);
    }
}
