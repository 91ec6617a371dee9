package ai.molecule.runtime.tools;

import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A platform that answers each path as it was told, 404 otherwise, and remembers what it was asked and in whose name. */
final class ScriptedPlatform implements AutoCloseable {

    static final String ME = "11111111-1111-1111-1111-111111111111";
    static final String PEER = "22222222-2222-2222-2222-222222222222";
    static final String OTHER = "33333333-3333-3333-3333-333333333333";

    record Request(String line, Headers headers, String body) {

        JsonNode json() {
            try {
                return new ObjectMapper().readTree(body);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        String header(String name) {
            return String.valueOf(headers.getFirst(name));
        }
    }

    private record Answer(int status, String body) {}

    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final Map<String, Queue<Answer>> firsts = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    ScriptedPlatform() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    /** @param line such as {@code GET /workspaces}, without a query, except that {@code ?since_id} tells what comes after a cursor */
    ScriptedPlatform on(String line, int status, String body) {
        answers.put(line, new Answer(status, body));
        return this;
    }

    /** Before what it was told otherwise, once. */
    ScriptedPlatform first(String line, int status, String body) {
        firsts.computeIfAbsent(line, each -> new ConcurrentLinkedQueue<>()).add(new Answer(status, body));
        return this;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** A workspace with the token {@code token-of-<id>}. */
    WorkspaceClient workspace(String id) {
        return new WorkspaceClient(ClientConfig.of(id, url(), new HeldToken("token-of-" + id)));
    }

    /** Those whose line begins so, in order. */
    List<Request> requests(String start) {
        return requests.stream().filter(each -> each.line().startsWith(start)).toList();
    }

    Request only(String start) {
        List<Request> found = requests(start);
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " requests began with " + start + " of " + requests);
        }
        return found.getFirst();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String method = exchange.getRequestMethod() + " ";
            requests.add(new Request(method + exchange.getRequestURI(), exchange.getRequestHeaders(), body));
            String cursor = exchange.getRequestURI().toString().contains("since_id=") ? "?since_id" : "";
            String line = method + exchange.getRequestURI().getPath() + cursor;
            Answer answer =
                    firsts.getOrDefault(line, new ConcurrentLinkedQueue<>()).poll();
            if (answer == null) {
                answer = answers.getOrDefault(line, new Answer(404, "{\"error\":\"not found\"}"));
            }
            byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
