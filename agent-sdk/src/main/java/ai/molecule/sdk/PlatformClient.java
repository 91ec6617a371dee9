package ai.molecule.sdk;

import ai.molecule.sdk.identity.PairTokenCheck;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    private static final ObjectMapper JSON = PlatformHttp.JSON;

    private final ClientConfig config;
    private final PlatformHttp http;
    private final PairTokenCheck callers;
    private volatile long secretsVersion = -1;

    public PlatformClient(ClientConfig config) {
        this.config = config;
        this.http = new PlatformHttp(config);
        this.callers = new PairTokenCheck(
                config.workspaceId(),
                () -> http.get("/.well-known/jwks.json", CALL_TIMEOUT),
                InstantSource.system(),
                System::nanoTime);
    }

    public ClientConfig config() {
        return config;
    }

    /** Tells who calls this agent, by what the answers to its heartbeats say. */
    public PairTokenCheck callers() {
        return callers;
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
        JsonNode answer = send("/registry/register", body);
        String token = answer.path("auth_token").asText("");
        if (!token.isBlank()) {
            keep(token);
        }
    }

    /** What the last heartbeat's answer said: another number when secrets of this agent changed; -1 before, and of an older platform. */
    public long secretsVersion() {
        return secretsVersion;
    }

    /** Says that the agent lives and what it does. */
    public void heartbeat(Heartbeat heartbeat) {
        beat(body(heartbeat));
    }

    /**
     * The same, of an agent that says more about what runs it.
     *
     * @param wedged why it answers nothing any more until somebody helps; empty when it works
     * @param metadata what the platform shall know about what runs the agent
     */
    public void heartbeat(Heartbeat heartbeat, Optional<String> wedged, JsonNode metadata) {
        ObjectNode body = body(heartbeat);
        wedged.ifPresent(reason -> body.put("runtime_state", "wedged").put("sample_error", storable(reason)));
        body.set("runtime_metadata", metadata);
        beat(body);
    }

    /** The answer says what time it is and what changed of who may talk to whom; an older platform's does not. */
    private void beat(ObjectNode body) {
        Instant sent = Instant.now();
        JsonNode answer = send("/registry/heartbeat", body);
        secretsVersion = answer.path("secrets_version").asLong(-1);
        if (answer.path("time").isIntegralNumber()) {
            callers.heard(
                    Instant.ofEpochMilli(answer.path("time").asLong()),
                    sent,
                    Instant.now(),
                    answer.path("branch_version").asLong(),
                    answer.path("keys_version").asText(""));
        }
    }

    private ObjectNode body(Heartbeat heartbeat) {
        return JSON.createObjectNode()
                .put("workspace_id", config.workspaceId())
                .put("current_task", storable(heartbeat.currentTask()))
                .put("active_tasks", heartbeat.activeTasks())
                .put("error_rate", heartbeat.errorRate())
                .put("sample_error", storable(heartbeat.sampleError()))
                .put("uptime_seconds", heartbeat.uptime().toSeconds());
    }

    /** Without NUL and halves of characters: over one the platform refuses the heartbeat, and who works on it seems dead. */
    private static String storable(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replace('\0', '\uFFFD');
    }

    /** Tells the platform that the agent's card is another one now. */
    public void updateCard(JsonNode card) {
        ObjectNode body = JSON.createObjectNode().put("workspace_id", config.workspaceId());
        body.set("agent_card", card);
        send("/registry/update-card", body);
    }

    /** The workspaces this one may talk to: siblings, then children, then the parent. Rows without an id are left out. */
    public List<Peer> peers() {
        JsonNode rows = get("/registry/" + PlatformHttp.encoded(config.workspaceId()) + "/peers");
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
        return find(targetId).map(PeerAddress::url);
    }

    /** The same, with what proves there who calls. */
    Optional<PeerAddress> find(String targetId) {
        try {
            JsonNode answer = get("/registry/discover/" + PlatformHttp.encoded(targetId));
            String url = answer.path("url").asText("");
            return url.startsWith("http://") || url.startsWith("https://")
                    ? Optional.of(new PeerAddress(
                            URI.create(url),
                            Optional.of(answer.path("token").asText("")).filter(token -> !token.isEmpty())))
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
        return http.get(path, CALL_TIMEOUT, "X-Workspace-ID", config.workspaceId());
    }

    private JsonNode send(String path, ObjectNode body) {
        return http.post(path, body, CALL_TIMEOUT);
    }

    /** A token is issued once: losing it silently would lock the agent out. */
    private void keep(String token) {
        try {
            config.tokens().save(token);
        } catch (UncheckedIOException e) {
            throw new PlatformException("the issued workspace token cannot be kept: " + e.getMessage(), e);
        }
    }
}
