package ai.molecule.runtime;

import ai.molecule.sdk.ApprovalDigest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** As much of the platform as an agent meets: it registers, beats, lists all others as peers, tells addresses, and takes what is said to oneself and carries what is said to others. */
public final class StandInPlatform implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A workspace as it registered. */
    public record Registered(String id, String name, String url, JsonNode card, String bearer, String parentId) {}

    public final Map<String, Registered> workspaces = new ConcurrentHashMap<>();
    public final List<JsonNode> heartbeats = new CopyOnWriteArrayList<>();
    public final List<JsonNode> toldSelf = new CopyOnWriteArrayList<>();
    public final List<JsonNode> activities = new CopyOnWriteArrayList<>();
    public final List<JsonNode> updatedCards = new CopyOnWriteArrayList<>();
    public final List<JsonNode> spans = new CopyOnWriteArrayList<>();
    public final List<JsonNode> notices = new CopyOnWriteArrayList<>();
    /** Newest first; a test decides them. */
    public final List<ObjectNode> approvals = new CopyOnWriteArrayList<>();

    /** How often somebody looked at them: who does has written down what it asked for. */
    public final AtomicInteger looksAtApprovals = new AtomicInteger();

    /** Whoever asks for an approval hears that it is kept once this is at 0. */
    public final AtomicReference<CountDownLatch> answersApprovals = new AtomicReference<>(new CountDownLatch(0));

    /** Whoever does not name it finds nothing here, but to register and to beat. */
    public volatile Optional<String> organisation = Optional.empty();

    /** {@code <caller> -> <target>: <Authorization>} of each message it carried. */
    public final List<String> carried = new CopyOnWriteArrayList<>();

    public volatile String delegations = "[]";

    /** What {@code /secrets/values} answers, and how heartbeats tell that it is another. */
    public volatile String secrets = "{}";

    public volatile long secretsVersion = 0;

    /** With which query its secrets were asked for. */
    public final List<String> secretsAsked = new CopyOnWriteArrayList<>();

    public final Map<String, String> descriptions = new ConcurrentHashMap<>();
    public final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger refuseNext = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    public StandInPlatform() throws IOException {
        this(0);
    }

    public StandInPlatform(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(threads);
        server.createContext("/registry/register", exchange -> post(exchange, this::register));
        server.createContext("/registry/heartbeat", exchange -> post(exchange, this::heartbeat));
        server.createContext(
                "/registry/update-card", exchange -> post(exchange, (ignored, body) -> noted(updatedCards, body)));
        server.createContext("/v1/traces", exchange -> post(exchange, (bearer, body) -> noted(spans, body)));
        server.createContext("/registry/discover/", exchange -> inOrganisation(exchange, this::discover));
        server.createContext("/registry/", exchange -> inOrganisation(exchange, this::peers));
        server.createContext("/workspaces/", exchange -> inOrganisation(exchange, this::workspace));
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port();
    }

    /** The workspace with this id, which must have registered. */
    public Registered registered(String id) {
        return Objects.requireNonNull(workspaces.get(id), id + " has not registered");
    }

    /** Answers the next calls that write with 503. */
    public void refuseNext(int calls) {
        refuseNext.set(calls);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private interface Route {
        String answer(HttpExchange exchange, JsonNode body) throws IOException;
    }

    private void post(HttpExchange exchange, Route route) throws IOException {
        JsonNode body = JSON.readTree(exchange.getRequestBody());
        if (refuseNext.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            refusals.incrementAndGet();
            answer(exchange, 503, "{\"error\":\"database is away\"}");
        } else {
            answer(exchange, 200, route.answer(exchange, body));
        }
    }

    private String register(HttpExchange exchange, JsonNode body) {
        String bearer = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        String id = body.path("id").asText();
        var card = body.path("agent_card");
        boolean isNew = workspaces.put(
                        id,
                        new Registered(
                                id, card.path("name").asText(), body.path("url").asText(), card, bearer, ""))
                == null;
        return isNew
                ? "{\"status\":\"registered\",\"auth_token\":\"token-of-" + id + "\"}"
                : "{\"status\":\"registered\"}";
    }

    private String heartbeat(HttpExchange exchange, JsonNode body) {
        heartbeats.add(body);
        return "{\"status\":\"ok\",\"secrets_version\":%d}".formatted(secretsVersion);
    }

    /** What a workspace says to itself and to its user, what it delegated, and how it is described. */
    private void workspace(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/", -1);
        switch (path.length > 3 ? path[3] : "") {
            case "a2a" -> {
                if (path[2].equals(exchange.getRequestHeaders().getFirst("X-Workspace-ID"))) {
                    post(exchange, (ignored, body) -> noted(toldSelf, body));
                } else {
                    carry(exchange, registered(path[2]));
                }
            }
            case "activity" -> post(exchange, (ignored, body) -> noted(activities, body));
            case "notify" -> post(exchange, (ignored, body) -> noted(notices, body));
            case "approvals" -> approvals(exchange, path.length > 4 ? path[4] : "");
            case "secrets" -> {
                secretsAsked.add(String.valueOf(exchange.getRequestURI().getQuery()));
                answer(exchange, 200, secrets);
            }
            case "delegations" -> answer(exchange, 200, delegations);
            default -> {
                String found = descriptions.get(path[2]);
                answer(exchange, found == null ? 404 : 200, found == null ? "{\"error\":\"not found\"}" : found);
            }
        }
    }

    private void approvals(HttpExchange exchange, String named) throws IOException {
        if (exchange.getRequestMethod().equals("POST")) {
            var asked = (ObjectNode) JSON.readTree(exchange.getRequestBody());
            String id = "approval-" + approvals.size();
            approvals.addFirst(asked.put("id", id)
                    .put("status", "pending")
                    .put(
                            "digest",
                            ApprovalDigest.of(
                                    asked.path("action").asText(),
                                    asked.path("reason").asText(),
                                    asked.withObject("/context").deepCopy())));
            try {
                boolean _ = Objects.requireNonNull(answersApprovals.get()).await(60, TimeUnit.SECONDS);
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
            answer(exchange, 201, "{\"approval_id\":\"" + id + "\",\"status\":\"pending\"}");
        } else {
            looksAtApprovals.incrementAndGet();
            var found = approvals.stream()
                    .filter(each -> each.path("id").asText().equals(named))
                    .findFirst();
            if (named.isEmpty()) {
                answer(exchange, 200, approvals.toString());
            } else {
                answer(
                        exchange,
                        found.isPresent() ? 200 : 404,
                        found.map(ObjectNode::toString).orElse("{\"error\":\"approval not found\"}"));
            }
        }
    }

    private void carry(HttpExchange exchange, Registered target) throws IOException {
        var headers = exchange.getRequestHeaders();
        carried.add("%s -> %s: %s"
                .formatted(headers.getFirst("X-Workspace-ID"), target.id(), headers.getFirst("Authorization")));
        var request = HttpRequest.newBuilder(URI.create(target.url()))
                .POST(HttpRequest.BodyPublishers.ofByteArray(
                        exchange.getRequestBody().readAllBytes()))
                .header("X-Molecule-Target", target.id());
        for (String name : List.of("X-Workspace-ID", "traceparent", "tracestate")) {
            Optional.ofNullable(headers.getFirst(name)).ifPresent(value -> request.header(name, value));
        }
        try (var client = HttpClient.newHttpClient()) {
            var response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            answer(exchange, response.statusCode(), response.body());
        } catch (ConnectException away) {
            answer(exchange, 502, "{\"error\":\"failed to reach workspace agent\"}");
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static String noted(List<JsonNode> list, JsonNode body) {
        list.add(body);
        return "{}";
    }

    private void discover(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Registered found = workspaces.get(path.substring(path.lastIndexOf('/') + 1));
        if (found == null) {
            answer(exchange, 404, "{\"error\":\"workspace not found\"}");
        } else {
            answer(
                    exchange,
                    200,
                    JSON.createObjectNode().put("url", found.url()).toString());
        }
    }

    private void peers(HttpExchange exchange) throws IOException {
        String self = exchange.getRequestURI().getPath().split("/", -1)[2];
        var rows = JSON.createArrayNode();
        workspaces.values().stream()
                .filter(workspace -> !workspace.id().equals(self))
                .forEach(workspace -> rows.addObject()
                        .put("id", workspace.id())
                        .put("name", workspace.name())
                        .put("status", "online")
                        .put("parent_id", workspace.parentId())
                        .set("agent_card", workspace.card()));
        answer(exchange, 200, rows.toString());
    }

    private void inOrganisation(HttpExchange exchange, HttpHandler handler) throws IOException {
        var named = Optional.ofNullable(exchange.getRequestHeaders().getFirst("X-Molecule-Org-Id"));
        if (organisation.isEmpty() || organisation.equals(named)) {
            handler.handle(exchange);
        } else {
            answer(exchange, 404, "");
        }
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
