package ai.molecule.sdk;

import ai.molecule.sdk.identity.PairTokenCheck;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An agent's whole side of the platform: it joins, says that it lives, talks to peers, receives messages and answers them.
 *
 * <pre>{@code
 * var client = RemoteAgentClient.builder(workspaceId, "http://localhost:8080").agentName("scribe").build();
 * client.register();
 * String why = client.runAgentLoop((message, self) -> "You said: " + message.text());
 * }</pre>
 *
 * <p>Every call blocks and answers an interrupt at once. Unless it says otherwise it takes at most 10 s per attempt and
 * fails with {@link PlatformException} alone. Reads are repeated up to three times after a 429 (as {@code Retry-After} says in
 * seconds, else after 1, 2 and 4 s, never more than 30 s); nothing that changes something is ever repeated. Safe to share
 * between threads.
 */
public final class RemoteAgentClient {

    /** What an agent without an address of its own registers: the platform never dials it. */
    public static final String NO_INBOUND = "remote://no-inbound";

    static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

    private final AgentSettings settings;
    private final ClientConfig config;
    private final PlatformHttp http;
    private final PlatformClient platform;
    private final PeerBook peers;
    private final Inbox inbox;
    private final long startedNanos = System.nanoTime();

    RemoteAgentClient(AgentSettings settings, ClientConfig config) {
        this.settings = settings;
        this.config = config;
        this.http = new PlatformHttp(config);
        this.platform = new PlatformClient(config);
        this.peers =
                new PeerBook(config, platform, http, new PeerUrls(settings.urlCacheTimeToLive(), Clock.systemUTC()));
        this.inbox = new Inbox(config, http);
    }

    /**
     * An agent of this workspace on this platform.
     *
     * @throws IllegalArgumentException when the platform URL is no http or https URL
     */
    public static AgentBuilder builder(String workspaceId, String platformUrl) {
        return new AgentBuilder(workspaceId, platformUrl);
    }

    public String workspaceId() {
        return config.workspaceId();
    }

    public ClientConfig config() {
        return config;
    }

    /** Tells who calls this agent, by what the answers to its heartbeats say. */
    public PairTokenCheck callers() {
        return platform.callers();
    }

    public Duration heartbeatInterval() {
        return settings.heartbeatInterval();
    }

    public Duration stateInterval() {
        return settings.stateInterval();
    }

    /** Keeps a token somebody handed over. */
    public void saveToken(String token) {
        config.tokens().save(token);
    }

    /** {@link #register(String)} with the URL of the builder, {@link #NO_INBOUND} when there was none. */
    public String register() {
        return register(settings.reportedUrl().isEmpty() ? NO_INBOUND : settings.reportedUrl());
    }

    /**
     * Tells the platform that this agent is here. A token the platform issues is kept; one already held is sent along.
     *
     * @param url where the agent listens
     * @return the token held now; empty when the platform issued none
     * @throws TokenLostException when the platform wants a token this agent does not have
     */
    public String register(String url) {
        try {
            platform.register(url, settings.agentCard());
        } catch (PlatformException e) {
            throw e.status() == 401 ? tokenLost(e) : e;
        }
        return config.tokens().load().orElse("");
    }

    /** The workspace's secrets by name, unencrypted: do not log them. */
    public Map<String, String> pullSecrets() {
        Map<String, String> secrets = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> secret : http.get("/workspaces/" + self() + "/secrets/values", CALL_TIMEOUT)
                .properties()) {
            secrets.put(secret.getKey(), secret.getValue().asText(""));
        }
        return secrets;
    }

    /** What the platform wants of this agent. Any 404 means that the workspace is deleted. */
    public WorkspaceState pollState() {
        try {
            JsonNode state = http.get("/workspaces/" + self() + "/state", CALL_TIMEOUT);
            return new WorkspaceState(
                    workspaceId(),
                    state.path("status").asText("unknown"),
                    state.path("paused").asBoolean(),
                    state.path("deleted").asBoolean());
        } catch (PlatformException e) {
            if (e.status() == 404) {
                return new WorkspaceState(workspaceId(), "removed", false, true);
            }
            throw e;
        }
    }

    /** Says that the agent lives and is idle. */
    public void heartbeat() {
        heartbeat(CurrentTask.NONE);
    }

    /** Says that the agent lives and what it does. */
    public void heartbeat(CurrentTask task) {
        heartbeat(new Heartbeat(task.name(), task.activeTasks(), 0, "", uptime()));
    }

    /** Says that the agent lives, what it does and how well. */
    public void heartbeat(Heartbeat heartbeat) {
        platform.heartbeat(heartbeat);
    }

    /** Since this client was made. */
    public Duration uptime() {
        return Duration.ofNanos(System.nanoTime() - startedNanos);
    }

    /** The workspaces this one may talk to: siblings, then children, then the parent. */
    public List<Peer> getPeers() {
        return peers.peers();
    }

    /**
     * Where a peer can be called directly, from memory when it was found within the last 5 minutes (or what the builder says).
     *
     * @return empty when the platform knows no http or https address for it
     */
    public Optional<URI> discoverPeer(String peerId) {
        return peers.discover(peerId);
    }

    /** Forgets where a peer was found. */
    public void invalidatePeerUrl(String peerId) {
        peers.forget(peerId);
    }

    /** {@link #callPeer(String, String, boolean)} through the platform, which checks who may talk to whom and notes what was said. */
    public JsonNode callPeer(String peerId, String text) {
        return callPeer(peerId, text, false);
    }

    /**
     * Sends text to a peer and waits up to 30 s for what it says; {@link A2aAnswer#fromResponse} reads the words.
     *
     * @param preferDirect calls the peer first at the address it was found at, with a token for that peer alone, and notes it in this workspace's
     *     activity; whatever goes wrong there, the platform is asked to deliver the same message. For callers with peers that the platform cannot
     *     reach itself: what the platform does for a message that it carries (docs/adr/0047), it cannot do for this one.
     * @return the JSON-RPC response; a peer that polls is answered for by the platform with {@code {"status":"queued"}}
     * @throws PlatformException when the platform could not deliver it either
     */
    public JsonNode callPeer(String peerId, String text, boolean preferDirect) {
        return peers.call(peerId, text, preferDirect);
    }

    /**
     * Messages to this agent; within 15 s, longer by what the query waits.
     *
     * @throws CursorLostException when the platform knows the row no more that the query begins after
     */
    public List<InboundMessage> fetchInbound(InboundQuery query) {
        return inbox.fetch(query);
    }

    /**
     * Answers a message: a person through the canvas, a peer as a message of its own; within 15 s.
     *
     * @throws IllegalArgumentException when the text is blank, or the message does not say who sent it
     */
    public void reply(InboundMessage message, String text) {
        inbox.reply(message, text);
    }

    /** {@link #delegate(String, String, String, Duration)} under the key of this minute, within 300 s. */
    public JsonNode delegate(String task, String targetId) {
        return delegate(
                task, targetId, IdempotencyKeys.forTask(task, Clock.systemUTC().instant()), Duration.ofSeconds(300));
    }

    /**
     * Hands a task to another workspace and returns without waiting for its result.
     *
     * @param idempotencyKey the same key and task again is the same delegation
     * @return {@code delegation_id} and {@code status}
     */
    public JsonNode delegate(String task, String targetId, String idempotencyKey, Duration timeout) {
        ObjectNode body = PlatformHttp.JSON.createObjectNode().put("task", task).put("idempotency_key", idempotencyKey);
        String path = "/workspaces/" + PlatformHttp.encoded(targetId) + "/delegate";
        return http.post(path, body, timeout, "X-Workspace-ID", workspaceId());
    }

    /** {@link #installPlugin(PluginRequest)} from the platform's own plugins, with setup and report. */
    public Path installPlugin(String name) throws IOException, InterruptedException {
        return installPlugin(PluginRequest.of(name));
    }

    /**
     * Downloads a plugin (60 s, 64 MiB), unpacks it beside where it belongs, compares the checksum its {@code plugin.yaml} may
     * name, and only then puts it in place of what was there. Then runs its {@code setup.sh} (120 s) and tells the platform;
     * neither of these two can fail the installation.
     *
     * @return the plugin's folder, {@code plugins/<name>} in the agent's folder
     * @throws ai.molecule.sdk.plugins.PluginException when the archive is malformed, hostile, or not what its checksum says;
     *     what was installed before is untouched
     */
    public Path installPlugin(PluginRequest plugin) throws IOException, InterruptedException {
        return new PluginInstaller(config, http, settings.pluginsFolder()).install(plugin);
    }

    /** Where plugins are installed. */
    public Path pluginsFolder() {
        return settings.pluginsFolder();
    }

    /**
     * Sends a heartbeat every {@link #heartbeatInterval()} on a daemon thread, for an agent with a loop of its own.
     *
     * <pre>{@code
     * try (var alive = client.startHeartbeat(() -> new CurrentTask("indexing", 1))) {
     *     index();
     * }
     * }</pre>
     */
    public HeartbeatThread startHeartbeat(Supplier<CurrentTask> tasks) {
        Every beats = Every.start("heartbeat", heartbeatInterval(), () -> heartbeat(tasks.get()));
        return beats::close;
    }

    /**
     * Sends heartbeats and looks at the state, every {@link #heartbeatInterval()}, until the platform says stop.
     *
     * @return {@code paused}, {@code removed}, or {@code max_iterations}
     * @throws TokenLostException when the platform refuses the token
     */
    public String runHeartbeatLoop(LoopOptions options) throws InterruptedException {
        return new HeartbeatLoop(this, options).run();
    }

    /** {@link #runAgentLoop(MessageHandler, InboundDelivery, LoopOptions)} by polling, until the platform says stop. */
    public String runAgentLoop(MessageHandler handler) throws InterruptedException {
        return runAgentLoop(handler, new PollDelivery(this), LoopOptions.defaults());
    }

    /**
     * Receives messages and gives them to the handler until the platform says stop. Failures of the platform are waited out,
     * however long; the delivery is stopped at the end in any case.
     *
     * @return {@code paused}, {@code removed}, or {@code max_iterations}
     * @throws TokenLostException when the platform refuses the token
     * @throws InterruptedException when the calling thread was interrupted, which is how to stop the loop from inside
     */
    public String runAgentLoop(MessageHandler handler, InboundDelivery delivery, LoopOptions options)
            throws InterruptedException {
        return new AgentLoop(this, handler, delivery, options).run();
    }

    TokenLostException tokenLost(PlatformException refusal) {
        return new TokenLostException(config, config.tokens().load().isPresent(), refusal.error());
    }

    JsonNode agentCard() {
        return settings.agentCard();
    }

    private String self() {
        return PlatformHttp.encoded(workspaceId());
    }
}
