package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A platform for one workspace, {@code me}: it issues a token, knows a state, keeps a feed of messages and remembers what it was told. */
final class FakePlatform implements AutoCloseable {

    static final String TOKEN = "the-token";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<ObjectNode> rows = new ArrayList<>();
    private final List<String> replies = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private boolean tokenIssued;
    private boolean tokenRevoked;
    private boolean holdsRequestsOpen = true;
    private boolean knowsCursors = true;
    private String status = "online";
    private int busyAnswers;

    FakePlatform() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Like a platform from before {@code wait}. */
    synchronized FakePlatform answeringAtOnce() {
        holdsRequestsOpen = false;
        return this;
    }

    /** Like a platform from before {@code since_id}. */
    synchronized void ignoringCursors() {
        knowsCursors = false;
    }

    synchronized void becomes(String newStatus) {
        status = newStatus;
        notifyAll();
    }

    synchronized void revokeToken() {
        tokenRevoked = true;
        notifyAll();
    }

    synchronized void hasIssuedAToken() {
        tokenIssued = true;
    }

    /** The next so many requests are answered 429. */
    synchronized void isBusyFor(int requests) {
        busyAnswers = requests;
    }

    synchronized void deliver(String id, String sourceId, String text) {
        var row = JSON.createObjectNode().put("id", id).put("type", "a2a_receive");
        row.put("source_id", sourceId);
        row.putObject("data")
                .put("source", sourceId.isEmpty() ? "canvas_user" : "peer_agent")
                .put("text", text);
        rows.add(row);
        notifyAll();
    }

    synchronized void forget(String id) {
        rows.removeIf(row -> row.path("id").asText().equals(id));
    }

    /** What the agent said, as {@code user: text} or {@code <peer>: text}. */
    synchronized List<String> replies() {
        return List.copyOf(replies);
    }

    /** The query strings of every time messages were asked for. */
    synchronized List<String> asked() {
        return List.copyOf(asked);
    }

    synchronized int count(String what) {
        return counts.getOrDefault(what, 0);
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            answer(exchange, body.isEmpty() ? JSON.createObjectNode() : JSON.readTree(body));
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void answer(HttpExchange exchange, JsonNode body) throws IOException, InterruptedException {
        String path = exchange.getRequestURI().getPath();
        counts.merge("requests", 1, Integer::sum);
        if (busyAnswers > 0) {
            busyAnswers--;
            exchange.getResponseHeaders().add("Retry-After", "0");
            respond(exchange, 429, "{\"error\":\"rate limit exceeded\"}");
        } else if (path.equals("/registry/register")) {
            register(exchange);
        } else if (tokenRevoked || !authorized(exchange)) {
            respond(exchange, 401, "{\"error\":\"invalid workspace auth token\"}");
        } else if (path.equals("/registry/heartbeat")) {
            counts.merge("heartbeats", 1, Integer::sum);
            counts.merge("busy heartbeats", body.path("active_tasks").asInt() > 0 ? 1 : 0, Integer::sum);
            respond(exchange, 200, "{\"status\":\"ok\"}");
        } else if (path.endsWith("/state")) {
            state(exchange);
        } else if (path.endsWith("/activity")) {
            activity(exchange);
        } else if (path.endsWith("/notify")) {
            replies.add("user: " + body.path("message").asText());
            respond(exchange, 200, "{\"status\":\"sent\"}");
        } else if (path.endsWith("/a2a")) {
            String text = body.at("/params/message/parts/0/text").asText();
            replies.add(path.split("/")[2] + ": " + text);
            respond(exchange, 200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"status\":\"queued\"}}");
        } else {
            respond(exchange, 404, "{\"error\":\"not found\"}");
        }
    }

    private void register(HttpExchange exchange) throws IOException {
        if (tokenIssued && (tokenRevoked || !authorized(exchange))) {
            respond(exchange, 401, "{\"error\":\"missing workspace auth token\"}");
            return;
        }
        String issued = tokenIssued ? "" : ",\"auth_token\":\"" + TOKEN + "\"";
        tokenIssued = true;
        respond(exchange, 200, "{\"status\":\"registered\"" + issued + "}");
    }

    private void state(HttpExchange exchange) throws IOException {
        counts.merge("states", 1, Integer::sum);
        boolean removed = status.equals("removed");
        respond(
                exchange,
                removed ? 404 : 200,
                "{\"workspace_id\":\"me\",\"status\":\"%s\",\"paused\":%s,\"deleted\":%s}"
                        .formatted(status, status.equals("paused"), removed));
    }

    private void activity(HttpExchange exchange) throws IOException, InterruptedException {
        String query = exchange.getRequestURI().getQuery();
        asked.add(query);
        notifyAll();
        var parameters = new HashMap<String, String>();
        for (String pair : query.split("&")) {
            parameters.put(pair.split("=")[0], pair.split("=")[1]);
        }
        String since = knowsCursors ? parameters.get("since_id") : null;
        long waitMillis = holdsRequestsOpen ? 1000 * Long.parseLong(parameters.getOrDefault("wait", "0")) : 0;
        long end = System.currentTimeMillis() + waitMillis;
        while (true) {
            int from =
                    since == null ? Math.max(0, rows.size() - Integer.parseInt(parameters.get("limit"))) : after(since);
            if (from < 0) {
                respond(exchange, 410, "{\"error\":\"cursor not found\"}");
                return;
            }
            long left = end - System.currentTimeMillis();
            if (from < rows.size() || left <= 0) {
                ArrayNode page = JSON.createArrayNode();
                rows.subList(from, rows.size()).forEach(page::add);
                respond(exchange, 200, page.toString());
                return;
            }
            wait(left);
        }
    }

    private int after(String id) {
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).path("id").asText().equals(id)) {
                return i + 1;
            }
        }
        return -1;
    }

    private static boolean authorized(HttpExchange exchange) {
        return ("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"));
    }

    private static void respond(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
