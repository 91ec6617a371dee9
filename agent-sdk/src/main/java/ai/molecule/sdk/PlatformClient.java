package ai.molecule.sdk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * An agent's side of the platform's registry.
 *
 * <pre>{@code
 * var platform = new PlatformClient(ClientConfig.of(id, "http://localhost:8080", TokenFile.in(folder)));
 * platform.register("http://10.0.0.7:8000", card);
 * platform.heartbeat(Heartbeat.idle(uptime));
 * }</pre>
 *
 * <p>Every call blocks for at most 10 s per attempt and fails with {@link PlatformException} alone. The two reads are
 * repeated up to three times when the platform says 429.
 */
public final class PlatformClient {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
    private static final int TOO_MANY_REQUESTS = 429;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ClientConfig config;

    public PlatformClient(ClientConfig config) {
        this.config = config;
    }

    public ClientConfig config() {
        return config;
    }

    /**
     * Tells the platform where this agent listens and what it can do, and keeps the token the platform issues to an
     * agent that has none. A token already held is sent along, which proves that the agent is who it says.
     *
     * @param url where the agent listens; {@code remote://no-inbound} for one that only polls
     * @param card the agent card, any JSON object
     */
    public void register(String url, JsonNode card) {
        ObjectNode body =
                JSON.createObjectNode().put("id", config.workspaceId()).put("url", url);
        body.set("agent_card", card);
        JsonNode answer = send(request("/registry/register").POST(json(body)));
        String token = answer.path("auth_token").asText("");
        if (!token.isBlank()) {
            keep(token);
        }
    }

    /** Says that the agent lives and what it does. */
    public void heartbeat(Heartbeat heartbeat) {
        ObjectNode body = JSON.createObjectNode()
                .put("workspace_id", config.workspaceId())
                .put("current_task", heartbeat.currentTask())
                .put("active_tasks", heartbeat.activeTasks())
                .put("error_rate", heartbeat.errorRate())
                .put("sample_error", heartbeat.sampleError())
                .put("uptime_seconds", heartbeat.uptime().toSeconds());
        send(request("/registry/heartbeat").POST(json(body)));
    }

    /** The workspaces this one may talk to: siblings, then children, then the parent. Rows without an id are left out. */
    public List<Peer> peers() {
        JsonNode rows = get("/registry/" + encoded(config.workspaceId()) + "/peers");
        List<Peer> peers = new ArrayList<>();
        for (JsonNode row : rows) {
            if (!row.path("id").asText("").isEmpty()) {
                peers.add(Peer.fromJson(row));
            }
        }
        return List.copyOf(peers);
    }

    /**
     * Where to call another workspace directly.
     *
     * @return empty when the platform knows no address that can be called: the workspace is unknown, polls, or has only a
     *     placeholder
     */
    public Optional<URI> discover(String targetId) {
        try {
            String url =
                    get("/registry/discover/" + encoded(targetId)).path("url").asText("");
            return url.startsWith("http://") || url.startsWith("https://")
                    ? Optional.of(URI.create(url))
                    : Optional.empty();
        } catch (PlatformException e) {
            if (e.status() == 404) {
                return Optional.empty();
            }
            throw e;
        } catch (IllegalArgumentException malformed) {
            throw new PlatformException("the platform gave a malformed address for " + targetId, malformed);
        }
    }

    private JsonNode get(String path) {
        HttpRequest request = authenticated(
                request(path).header("X-Workspace-ID", config.workspaceId()).GET());
        HttpResponse<byte[]> response = exchange(request);
        for (int attempt = 1;
                response.statusCode() == TOO_MANY_REQUESTS && attempt <= RetryPause.RETRIES_MAX;
                attempt++) {
            pause(RetryPause.before(
                    attempt, response, ThreadLocalRandom.current().nextDouble()));
            response = exchange(request);
        }
        return read(response);
    }

    private JsonNode send(HttpRequest.Builder request) {
        return read(exchange(authenticated(request.header("Content-Type", "application/json"))));
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(config.platformUrl() + path));
        config.orgId().ifPresent(id -> request.header("X-Molecule-Org-Id", id));
        config.origin().ifPresent(origin -> request.header("Origin", origin));
        return request;
    }

    private HttpRequest authenticated(HttpRequest.Builder request) {
        try {
            config.tokens().load().ifPresent(token -> request.header("Authorization", "Bearer " + token));
        } catch (UncheckedIOException e) {
            throw new PlatformException("the workspace token cannot be read: " + e.getMessage(), e);
        }
        return request.build();
    }

    /** A token is issued once: losing it silently would lock the agent out. */
    private void keep(String token) {
        try {
            config.tokens().save(token);
        } catch (UncheckedIOException e) {
            throw new PlatformException("the issued workspace token cannot be kept: " + e.getMessage(), e);
        }
    }

    private HttpResponse<byte[]> exchange(HttpRequest request) {
        try {
            return Exchange.send(request, CALL_TIMEOUT);
        } catch (InterruptedIOException e) {
            throw new PlatformException("interrupted while calling the platform", e);
        } catch (IOException e) {
            throw new PlatformException("platform cannot be reached: " + Exchange.describe(e), e);
        }
    }

    private static JsonNode read(HttpResponse<byte[]> response) {
        boolean succeeded = response.statusCode() >= 200 && response.statusCode() < 300;
        try {
            JsonNode body = JSON.readTree(response.body());
            if (succeeded) {
                return body;
            }
            throw new PlatformException(
                    response.statusCode(), body.path("error").asText("no reason given"));
        } catch (IOException notJson) {
            throw new PlatformException(response.statusCode(), "the answer was not JSON");
        }
    }

    private static HttpRequest.BodyPublisher json(ObjectNode body) {
        try {
            return BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not representable as JSON", e);
        }
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlatformException("interrupted while waiting to ask the platform again", e);
        }
    }

    private static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
