package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a workspace does on the platform beside being registered: it hands work on, speaks to its user and remembers.
 *
 * <pre>{@code
 * var workspace = new WorkspaceClient(config);
 * A2aAnswer answer = workspace.ask(peerId, "how many ships?", Duration.ofMinutes(5));
 * workspace.notifyUser("There are seven.", List.of());
 * }</pre>
 *
 * <p>Every call blocks, for at most 10 s unless it says otherwise, and fails with {@link PlatformException}. Every request
 * carries this workspace's own bearer and id, never another's. Nothing that writes is repeated.
 */
public final class WorkspaceClient {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration INSTRUCTIONS_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration UPLOAD_TIMEOUT = Duration.ofSeconds(60);

    /** What the answer's way back from the platform may take beyond the time the peer was given. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private static final Duration LOOKUP_PATIENCE = Duration.ofSeconds(10);

    private static final int NOT_FOUND = 404;

    /** What an agent answers that could have found a message and does not know it. */
    private static final int TASK_NOT_FOUND = -32001;

    private final ClientConfig config;
    private final PlatformHttp http;
    private final PlatformClient platform;
    private final Inbox inbox;

    public WorkspaceClient(ClientConfig config) {
        this.config = config;
        this.http = new PlatformHttp(config);
        this.platform = new PlatformClient(config);
        this.inbox = new Inbox(config, http);
    }

    public String id() {
        return config.workspaceId();
    }

    /** {@link PlatformClient#peers()} */
    public List<Peer> peers() {
        return platform.peers();
    }

    /** This workspace as the platform describes it: {@code id, name, role, tier, status, parent_id} and more. */
    public JsonNode describe() {
        return get("");
    }

    /**
     * Sends a message to a peer through the platform and waits for what it says. The platform checks whether the two may talk.
     *
     * @param patience what the peer has to answer, at most 30 minutes; it works on when that is over, and the platform says 504
     * @return the JSON-RPC response, or what the platform says when the message waits for a peer that is busy
     */
    public JsonNode ask(String peerId, String text, Duration patience) {
        return call(peerId, Envelope.asking(text), patience);
    }

    /** The same; sent again with the same {@code messageId}, it joins the work that the message began, where the peer {@linkplain #joins can do that}. */
    public JsonNode ask(String peerId, String text, Duration patience, String messageId) {
        return call(peerId, Envelope.asking(text, messageId), patience);
    }

    /** Whether a message that may have reached a peer can be sent again without being run again; asked of the peer, within 10 s. */
    public boolean joins(String peerId, String messageId) {
        JsonNode answer = call(peerId, Envelope.lookingUp(messageId), LOOKUP_PATIENCE);
        return answer.path("result").path("status").has("state")
                || answer.path("error").path("code").asInt() == TASK_NOT_FOUND;
    }

    private JsonNode call(String peerId, ObjectNode request, Duration patience) {
        return http.post(
                "/workspaces/" + PlatformHttp.encoded(peerId) + "/a2a",
                request,
                patience.plus(MARGIN),
                "X-Workspace-ID",
                id(),
                "X-Timeout",
                String.valueOf(patience.toSeconds()));
    }

    /** Hands a task on without waiting; the answer has its {@code delegation_id}. The same key and task again is the same delegation. */
    public JsonNode delegate(String targetId, String task, String idempotencyKey) {
        ObjectNode body = PlatformHttp.JSON
                .createObjectNode()
                .put("target_id", targetId)
                .put("task", task)
                .put("idempotency_key", idempotencyKey);
        return post("/delegate", body);
    }

    /** What the platform's administrators tell every agent; empty when they say nothing, or the platform has no such thing. */
    public String instructions() {
        try {
            return http.get(own("/instructions/resolve"), INSTRUCTIONS_TIMEOUT, "X-Workspace-ID", id())
                    .path("instructions")
                    .asText("");
        } catch (PlatformException e) {
            if (e.status() == 404) {
                return "";
            }
            throw e;
        }
    }

    /**
     * What another workspace gives its children to know, an array of {@code {path, content}}. The platform shows it to that
     * workspace's own bearer, and in development to whoever comes with none.
     */
    public JsonNode sharedContext(String workspaceId) {
        String path = "/workspaces/" + PlatformHttp.encoded(workspaceId) + "/shared-context";
        try {
            return http.get(path, CALL_TIMEOUT, "X-Workspace-ID", id());
        } catch (PlatformException e) {
            if (e.status() == 401) {
                return http.getWithoutBearer(path, CALL_TIMEOUT, "X-Workspace-ID", id());
            }
            throw e;
        }
    }

    /** What became of this workspace's delegations, an array, newest first. */
    public JsonNode delegations() {
        return get("/delegations");
    }

    /**
     * What became of one of them: {@code delegation_id, target_id, status, created_at, changed_at}, with {@code text} or {@code error} once it has
     * ended, and with {@code task_id, asks} where its target's task is known.
     */
    public JsonNode delegation(String delegationId) {
        return get("/delegations/" + PlatformHttp.encoded(delegationId));
    }

    /** Says of one that it is not wanted any more: it has failed for that reason, if it has no outcome yet. */
    public void endDelegation(String delegationId, String reason) {
        post(
                "/delegations/" + PlatformHttp.encoded(delegationId) + "/update",
                PlatformHttp.JSON.createObjectNode().put("status", "failed").put("error", reason));
    }

    /** A task of a peer, as it stands. */
    public JsonNode task(String peerId, String taskId) {
        String path = "/workspaces/" + PlatformHttp.encoded(peerId) + "/a2a/tasks/" + PlatformHttp.encoded(taskId);
        return http.get(path, CALL_TIMEOUT, "X-Workspace-ID", id());
    }

    /** The task that a message became at a peer, by the JSON-RPC response; an error where the peer keeps none, or knows none. */
    public JsonNode taskOf(String peerId, String messageId) {
        return call(peerId, Envelope.lookingUp(messageId), LOOKUP_PATIENCE);
    }

    /** Cancels a task of a peer; the JSON-RPC response. */
    public JsonNode cancel(String peerId, String taskId) {
        return call(peerId, Envelope.canceling(taskId), LOOKUP_PATIENCE);
    }

    /** Goes on with a task of a peer that asked for words; else as {@link #ask(String, String, Duration, String)}. */
    public JsonNode goOn(String peerId, String taskId, String text, Duration patience, String messageId) {
        return call(peerId, Envelope.goingOn(taskId, text, messageId), patience);
    }

    /**
     * Hands spans on to where the platform's own go.
     *
     * @param exported an export request of OpenTelemetry's, as JSON
     * @throws PlatformException with 404 where no traces are collected
     */
    public void reportSpans(ObjectNode exported) {
        http.post("/v1/traces", exported, CALL_TIMEOUT);
    }

    /** Notes in this workspace's activity what it did. */
    public void reportActivity(ObjectNode activity) {
        post("/activity", activity);
    }

    /**
     * What went between this workspace and a peer, an array, newest first.
     *
     * @param limit 1 to 500
     * @param before only what is older than this RFC 3339 time
     */
    public JsonNode conversation(String peerId, int limit, Optional<String> before) {
        String query = "?peer_id=" + PlatformHttp.encoded(peerId) + "&limit=" + limit
                + before.map(moment -> "&before_ts=" + PlatformHttp.encoded(moment))
                        .orElse("");
        return get("/activity" + query);
    }

    /** Messages to this workspace; {@link RemoteAgentClient#fetchInbound}. */
    public List<InboundMessage> fetchInbound(InboundQuery query) {
        return inbox.fetch(query);
    }

    /** @param attachments what {@link #upload} answered for them */
    public void notifyUser(String message, List<JsonNode> attachments) {
        ObjectNode body = PlatformHttp.JSON.createObjectNode().put("message", message);
        if (!attachments.isEmpty()) {
            body.putArray("attachments").addAll(attachments);
        }
        http.post(own("/notify"), body, UPLOAD_TIMEOUT);
    }

    /**
     * Uploads files for the chat within 60 s.
     *
     * @return an object for each file, in their order
     * @throws UncheckedIOException when one cannot be read
     */
    public List<JsonNode> upload(List<Path> files) {
        try {
            var form = MultipartForm.ofFiles("files", files);
            JsonNode answer = http.post(own("/chat/uploads"), form.body(), form.contentType(), UPLOAD_TIMEOUT);
            List<JsonNode> uploaded = new ArrayList<>();
            answer.path("files").forEach(uploaded::add);
            if (uploaded.size() != files.size()) {
                throw new PlatformException(
                        200, "the platform kept " + uploaded.size() + " of " + files.size() + " files");
            }
            return List.copyOf(uploaded);
        } catch (FileNotFoundException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Keeps a memory; the answer has its {@code id} and {@code scope}.
     *
     * @param scope LOCAL, TEAM or GLOBAL
     */
    public JsonNode remember(String content, String scope) {
        ObjectNode body = PlatformHttp.JSON
                .createObjectNode()
                .put("content", content)
                .put("scope", scope)
                .put("workspace_id", id());
        return post("/memories", body);
    }

    /** Memories, an array. An empty query finds all; an empty scope searches what this workspace wrote itself. */
    public JsonNode recall(String query, String scope) {
        return get("/memories?workspace_id=" + PlatformHttp.encoded(id())
                + (query.isEmpty() ? "" : "&q=" + PlatformHttp.encoded(query))
                + (scope.isEmpty() ? "" : "&scope=" + PlatformHttp.encoded(scope)));
    }

    /** Another workspace as the platform describes it to everybody: {@code id, name, role, parent_id} and more. */
    public JsonNode describe(String workspaceId) {
        return http.get("/workspaces/" + PlatformHttp.encoded(workspaceId), CALL_TIMEOUT, "X-Workspace-ID", id());
    }

    /**
     * Sends this workspace a message of its own through the platform, so that it is seen where all messages are, and waits
     * until it is answered.
     *
     * @param messageId the same message with the same id runs once
     */
    public void tellSelf(String messageId, String text, Duration timeout) {
        ObjectNode body = PlatformHttp.JSON.createObjectNode().put("method", "message/send");
        ObjectNode message = body.putObject("params")
                .putObject("message")
                .put("role", "user")
                .put("messageId", messageId);
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        http.post(own("/a2a"), body, timeout, "X-Workspace-ID", id());
    }

    /** Asks a person to approve an action; the answer has its {@code approval_id}. Fails with 429 while too many of its own wait. */
    public JsonNode requestApproval(String action, String reason) {
        return post(
                "/approvals",
                PlatformHttp.JSON.createObjectNode().put("action", action).put("reason", reason));
    }

    /**
     * The same for a task of this workspace: nobody's clock runs while it waits.
     *
     * @param taskId the task's own id, or the {@code messageId} it was begun with
     */
    public JsonNode requestApproval(String action, String reason, String taskId) {
        return requestApproval(action, reason, taskId, PlatformHttp.JSON.createObjectNode());
    }

    /**
     * The same with what whoever decides is shown beside the words.
     *
     * @param context such as the arguments of a call; empty for nothing
     */
    public JsonNode requestApproval(String action, String reason, String taskId, ObjectNode context) {
        var asked = PlatformHttp.JSON
                .createObjectNode()
                .put("action", action)
                .put("reason", reason)
                .put("task_id", taskId);
        if (!context.isEmpty()) {
            asked.set("context", context.deepCopy());
        }
        return post("/approvals", asked);
    }

    /** What this workspace asked for, an array, the newest 50, newest first: {@code id, action, status} and more. */
    public JsonNode approvals() {
        return get("/approvals");
    }

    /**
     * One of them; empty where the platform does not know it.
     *
     * @param patience how long the platform waits with its answer while nobody has decided, at most 25 s; an older platform does not wait
     */
    public Optional<JsonNode> approval(String approvalId, Duration patience) {
        String path = "/approvals/" + PlatformHttp.encoded(approvalId) + "?wait=" + patience.toSeconds();
        try {
            return Optional.of(http.get(own(path), CALL_TIMEOUT.plus(patience), "X-Workspace-ID", id()));
        } catch (PlatformException e) {
            if (e.status() != NOT_FOUND) {
                throw e;
            }
        }
        // a platform of before this route says the same, and has a list
        for (JsonNode each : approvals()) {
            if (each.path("id").asText().equals(approvalId)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Shows the user a message of a kind of its own, such as {@code delegation_result}. */
    public void notifyUser(String message, String type) {
        post(
                "/notify",
                PlatformHttp.JSON.createObjectNode().put("message", message).put("type", type));
    }

    /**
     * The workspace's secrets by name, in clear: do not log them. The platform then counts on this agent to ask again when {@link
     * PlatformClient#secretsVersion} is another one, and does not restart it for a new value.
     */
    public Map<String, String> followSecrets() {
        Map<String, String> secrets = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> secret :
                get("/secrets/values?follow=true").properties()) {
            secrets.put(secret.getKey(), secret.getValue().asText(""));
        }
        return secrets;
    }

    private JsonNode get(String path) {
        return http.get(own(path), CALL_TIMEOUT, "X-Workspace-ID", id());
    }

    private JsonNode post(String path, ObjectNode body) {
        return http.post(own(path), body, CALL_TIMEOUT, "X-Workspace-ID", id());
    }

    private String own(String path) {
        return "/workspaces/" + PlatformHttp.encoded(id()) + path;
    }
}
