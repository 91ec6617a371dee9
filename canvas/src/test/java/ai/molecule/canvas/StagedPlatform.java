package ai.molecule.canvas;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A platform that says what the test wants, as docs/wire describes it: only what the page asks for. What needs a real one is a journey in
 * system-tests.
 */
final class StagedPlatform implements AutoCloseable {

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'; trusted-types lit-html";

    private final Vertx vertx = Vertx.vertx();
    private final Map<String, JsonObject> agents = new LinkedHashMap<>();
    private final List<JsonObject> events = new CopyOnWriteArrayList<>();
    private final JsonArray approvals = new JsonArray();
    private final List<ServerWebSocket> sockets = new CopyOnWriteArrayList<>();

    /** Method, path and body of what changed something. */
    final List<String> changes = new CopyOnWriteArrayList<>();

    /** What pages said on their sockets. */
    final List<String> views = new CopyOnWriteArrayList<>();

    final List<String> sinces = new CopyOnWriteArrayList<>();
    volatile boolean dead;
    volatile boolean forgetful;
    /** Its sockets stay open and say nothing any more, as where something between them is gone. */
    volatile boolean deaf;
    /** Its database is away: every request is refused with these words, the stream lives and is silent. */
    volatile @Nullable String away;

    /** Decisions can be taken back, for longer than a test takes. */
    volatile boolean graceful;

    final List<String> reads = new CopyOnWriteArrayList<>();
    /** What is answered to a GET of that path, or to a method and path, over all that is staged otherwise; an error as a refusal. */
    final Map<String, Object> answers = new ConcurrentHashMap<>();

    /** The status with which a change at that path is refused. */
    final Map<String, Integer> refusals = new ConcurrentHashMap<>();

    final StagedWork work = new StagedWork(this);
    final StagedInbox inbox = new StagedInbox(this);
    final StagedTalk talk = new StagedTalk(this);
    final StagedDoor door = new StagedDoor(this);

    private final HttpServer server;
    private long seq;

    StagedPlatform() {
        server = vertx.createHttpServer(
                        new HttpServerOptions().setHost("127.0.0.1").setPort(0))
                .requestHandler(this::handle)
                .webSocketHandler(this::follow)
                .listen()
                .await();
    }

    String url() {
        return "http://127.0.0.1:" + server.actualPort() + "/";
    }

    synchronized String add(String name, @Nullable String role, @Nullable String parent, String status) {
        String id = new UUID(0xabcL << 12 | 0x4000, 0x8000000000000000L + agents.size() + 1).toString();
        agents.put(
                id,
                new JsonObject()
                        .put("id", id)
                        .put("name", name)
                        .put("role", role)
                        .put("tier", 1)
                        .put("status", status)
                        .put("parent_id", parent)
                        .put("active_tasks", 0)
                        .put("runtime", agents.isEmpty() ? "delegate" : "echo")
                        .put("x", 0)
                        .put("y", 0)
                        .put("collapsed", false)
                        .put("current_task", "")
                        .put("last_sample_error", "")
                        .put("monthly_spend", 0)
                        .putNull("budget_limit"));
        return id;
    }

    synchronized void set(String id, String field, Object value) {
        agent(id).put(field, value);
    }

    synchronized @Nullable String nameOf(String id) {
        var agent = agents.get(id);
        return agent == null ? null : agent.getString("name");
    }

    /** Whether it is that one, or below it. */
    synchronized boolean isBelow(String branch, String id) {
        for (var agent = agents.get(id);
                agent != null;
                agent = agents.get(String.valueOf(agent.getString("parent_id")))) {
            if (agent.getString("id").equals(branch)) {
                return true;
            }
        }
        return false;
    }

    synchronized List<String> rootsOf(String tenant) {
        return agents.values().stream()
                .filter(agent -> tenant.equals(agent.getString("tenant")))
                .map(agent -> agent.getString("id"))
                .toList();
    }

    synchronized String idOf(String name) {
        return agents.values().stream()
                .filter(agent -> agent.getString("name").equals(name))
                .findFirst()
                .orElseThrow()
                .getString("id");
    }

    private JsonObject agent(String id) {
        var agent = agents.get(id);
        if (agent == null) {
            throw new IllegalArgumentException(id);
        }
        return agent;
    }

    synchronized void works(String id, String task) {
        agent(id).put("active_tasks", 1).put("current_task", task);
        ephemeral("TASK_UPDATED", id, new JsonObject().put("active_tasks", 1).put("current_task", task));
    }

    synchronized String asks(String id, String action, String reason) {
        String approval = UUID.randomUUID().toString();
        approvals.add(new JsonObject()
                .put("id", approval)
                .put("workspace_id", id)
                .put("workspace_name", agent(id).getString("name"))
                .put("action", action)
                .put("reason", reason)
                .put("status", "pending")
                .put("created_at", Instant.now().minusSeconds(370).toString()));
        recorded(
                "APPROVAL_REQUESTED",
                id,
                new JsonObject()
                        .put("approval_id", approval)
                        .put("action", action)
                        .put("reason", reason));
        inbox.open(
                "approval",
                id,
                approval,
                action,
                JsonObject.of("approval_id", approval, "action", action, "reason", reason));
        return approval;
    }

    /** As after a change of status: the structural event of that name. */
    synchronized void becomes(String id, String status, String event, JsonObject more) {
        var agent = agent(id).put("status", status);
        recorded(
                event,
                id,
                more.copy()
                        .put("status", status)
                        .put("name", agent.getString("name"))
                        .put("role", agent.getString("role"))
                        .put("parent_id", agent.getString("parent_id")));
        inbox.becomes(id, status, more);
    }

    synchronized void recorded(String event, String id, JsonObject payload) {
        seq++;
        events.add(JsonObject.of(
                "event_type",
                event,
                "workspace_id",
                id,
                "payload",
                payload,
                "created_at",
                Instant.now().toString(),
                "seq",
                seq));
        send(envelope(event, id, payload).put("seq", seq));
    }

    void ephemeral(String event, String id, JsonObject payload) {
        send(envelope(event, id, payload));
    }

    private static JsonObject envelope(String event, String id, JsonObject payload) {
        return JsonObject.of(
                "event", event, "workspace_id", id, "timestamp", Instant.now().toString(), "payload", payload);
    }

    private void send(JsonObject envelope) {
        if (deaf) {
            return;
        }
        sockets.forEach(socket -> socket.writeTextMessage(envelope.encode()));
    }

    /** Closes every socket and answers nothing until it is revived. */
    void die() {
        dead = true;
        sockets.forEach(ServerWebSocket::close);
    }

    void revive() {
        dead = false;
    }

    void cut() {
        sockets.forEach(ServerWebSocket::close);
    }

    private void follow(ServerWebSocket socket) {
        String since = String.valueOf(socket.query());
        if (dead || !door.letsListen(since)) {
            socket.close();
            return;
        }
        sinces.add(since);
        sockets.add(socket);
        socket.textMessageHandler(view -> {
            views.add(view);
            send(envelope("VIEW", "", new JsonObject()));
        });
        socket.closeHandler(closed -> sockets.remove(socket));
        long after = Long.parseLong(since.replaceFirst("^since=(\\d+).*", "$1"));
        for (var event : events) {
            if (event.getLong("seq") > after) {
                socket.writeTextMessage(envelope(
                                event.getString("event_type"),
                                event.getString("workspace_id"),
                                event.getJsonObject("payload"))
                        .put("seq", event.getLong("seq"))
                        .encode());
            }
        }
    }

    private void handle(HttpServerRequest request) {
        String path = request.path();
        if (path.equals("/") || path.startsWith("/ui/")) {
            file(request, path.equals("/") ? "/ui/index.html" : path);
            return;
        }
        if (dead) {
            request.connection().close();
            return;
        }
        String why = away;
        if (why != null) {
            json(request, 503, JsonObject.of("error", why).toBuffer());
            return;
        }
        if (door.answers(request)) {
            return;
        }
        if (forgetful && path.endsWith("/activity")) {
            reads.add(path);
            json(request, 503, JsonObject.of("error", "datastore unavailable").toBuffer());
        } else if (path.equals("/inbox") && !answers.containsKey(path)) {
            boolean forgotten = inbox.forgetful && request.getParam("since") != null;
            inbox.forgetful &= !forgotten;
            json(
                    request,
                    forgotten ? 410 : 200,
                    forgotten
                            ? JsonObject.of("error", "that is kept no more").toBuffer()
                            : inbox.read(request).toBuffer());
        } else if (request.method().name().equals("GET")) {
            Object staged = answers.get(path);
            Buffer body =
                    staged == null ? read(path) : staged instanceof Buffer text ? text : Json.encodeToBuffer(staged);
            json(request, body.toString().startsWith("{\"error\"") ? 404 : 200, body);
        } else {
            request.body().onSuccess(body -> change(request, path, body.toString()));
        }
    }

    private synchronized Buffer read(String path) {
        return switch (path.replaceFirst("^/workspaces/[^/]+", "/workspaces/:id")) {
            case "/workspaces" ->
                new JsonArray(agents.values().stream()
                                .filter(agent -> door.shows(agent.getString("id")))
                                .toList())
                        .toBuffer();
            case "/events" ->
                new JsonArray(events.reversed().stream().limit(300).toList()).toBuffer();
            case "/workspaces/:id/tasks" -> talk.tasksOf(path);
            case "/admin/schedules/health" -> new JsonArray().toBuffer();
            case "/audit", "/workspaces/:id/audit" ->
                new JsonObject()
                        .put("entries", new JsonArray())
                        .putNull("cursor")
                        .toBuffer();
            case "/explain" ->
                JsonObject.of("allowed", true, "rule", "person", "says", "a person may write to it")
                        .toBuffer();
            case "/usage" -> JsonObject.of("rows", new JsonArray()).toBuffer();
            case "/approvals/pending" -> approvals.toBuffer();
            case "/workspaces/:id/activity" -> talk.activityOf(path);
            case "/org/templates" ->
                JsonArray.of(
                                JsonObject.of(
                                        "dir",
                                        "demo",
                                        "name",
                                        "Demo",
                                        "description",
                                        "A team lead and two.",
                                        "workspaces",
                                        3),
                                JsonObject.of(
                                        "dir",
                                        "studio",
                                        "name",
                                        "Software Studio",
                                        "description",
                                        "Plans, builds, tests and explains a product. Three teams below a director.",
                                        "workspaces",
                                        11))
                        .toBuffer();
            case "/workspaces/:id/tokens" ->
                JsonObject.of("tokens", new JsonArray()).toBuffer();
            case "/workspaces/:id/versions" ->
                new JsonObject()
                        .put("versions", new JsonArray())
                        .putNull("next")
                        .toBuffer();
            case "/workspaces/:id/config" ->
                JsonObject.of("data", new JsonObject()).toBuffer();
            case "/workspaces/:id/hibernation" ->
                new JsonObject()
                        .putNull("hibernation_idle_minutes")
                        .put("effective_idle_minutes", 30)
                        .toBuffer();
            case "/workspaces/:id/budget" ->
                new JsonObject().putNull("budget_limit").toBuffer();
            case "/workspaces/:id/console" -> JsonObject.of("output", "").toBuffer();
            case "/workspaces/:id/preview" ->
                JsonObject.of("ports", new JsonArray(), "reason", "previews are off here")
                        .toBuffer();
            case "/workspaces/:id/instructions/resolve" ->
                JsonObject.of("instructions", "").toBuffer();
            case "/people" -> JsonObject.of("people", new JsonArray()).toBuffer();
            case "/sessions" -> JsonObject.of("sessions", new JsonArray()).toBuffer();
            case "/people/me/tokens" -> JsonObject.of("tokens", new JsonArray()).toBuffer();
            case "/policy", "/workspaces/:id/policy" ->
                JsonObject.of("rules", new JsonArray()).toBuffer();
            case "/instructions", "/notifications/targets", "/webhooks" -> new JsonArray().toBuffer();
            case "/workspaces/:id/approvals" -> new JsonArray().toBuffer();
            case "/workspaces/:id/model" -> JsonObject.of("model", "").toBuffer();
            default ->
                path.matches(
                                "/workspaces/.*/(secrets|plugins|schedules|history|available|files|memories|memory)|/events/.*|/templates")
                        ? new JsonArray().toBuffer()
                        : path.contains("/a2a/tasks/")
                                ? new JsonObject().toBuffer()
                                : JsonObject.of("error", "not found").toBuffer();
        };
    }

    private void change(HttpServerRequest request, String path, String body) {
        String query = request.query() == null ? "" : "?" + request.query();
        changes.add(request.method() + " " + path + query + " " + body);
        Integer refusal = refusals.get(path);
        if (refusal != null) {
            json(request, refusal, JsonObject.of("error", "refused here").toBuffer());
            return;
        }
        Object staged =
                answers.getOrDefault(request.method() + " " + path + query, answers.get(request.method() + " " + path));
        if (staged != null) {
            Buffer said = Json.encodeToBuffer(staged);
            json(request, said.toString().startsWith("{\"error\"") ? 400 : 200, said);
        } else if (path.equals("/work")) {
            json(
                    request,
                    201,
                    new JsonObject(body)
                            .put("id", "w-1")
                            .put("state", "working")
                            .toBuffer());
        } else if (path.endsWith("/policy/test")) {
            json(
                    request,
                    200,
                    JsonObject.of("calls", 0, "unknown", 0, "more", false, "rules", new JsonArray())
                            .toBuffer());
        } else if (path.endsWith("/a2a")) {
            talk.take(request, path.split("/")[2], new JsonObject(body));
        } else if (path.endsWith("/decide") && graceful) {
            Instant effect = Instant.now().plusSeconds(900);
            grace(path.split("/")[4], request.method().name().equals("POST") ? effect : null);
            json(
                    request,
                    200,
                    JsonObject.of("takes_effect_at", effect.toString()).toBuffer());
        } else if (path.endsWith("/decide")) {
            synchronized (this) {
                approvals.getList().removeIf(row -> path.contains(((JsonObject) row).getString("id")));
            }
            inbox.resolveWhere("approval_id", path.split("/")[4]);
            json(
                    request,
                    200,
                    JsonObject.of("status", new JsonObject(body).getString("decision"))
                            .toBuffer());
        } else {
            if (path.startsWith("/inbox/")) {
                inbox.resolve(path.substring("/inbox/".length()));
            }
            json(request, 200, JsonObject.of("status", "updated").toBuffer());
        }
    }

    private synchronized void grace(String approval, @Nullable Instant effect) {
        approvals.stream()
                .map(JsonObject.class::cast)
                .filter(row -> row.getString("id").equals(approval))
                .forEach(row -> row.put("decision", effect == null ? null : "approved")
                        .put("takes_effect_at", effect == null ? null : effect.toString()));
    }

    static void json(HttpServerRequest request, int status, Buffer body) {
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(body);
    }

    private static void file(HttpServerRequest request, String path) {
        String type = path.replaceFirst(".*\\.", "");
        try (var in = StagedPlatform.class.getResourceAsStream(path)) {
            if (in == null) {
                request.response().setStatusCode(404).end();
                return;
            }
            request.response()
                    .putHeader(
                            "Content-Type",
                            Map.of(
                                            "html",
                                            "text/html",
                                            "js",
                                            "text/javascript",
                                            "css",
                                            "text/css",
                                            "svg",
                                            "image/svg+xml")
                                    .getOrDefault(type, "text/plain"))
                    .putHeader("Content-Security-Policy", POLICY)
                    .end(Buffer.buffer(in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        vertx.close().await();
    }
}
