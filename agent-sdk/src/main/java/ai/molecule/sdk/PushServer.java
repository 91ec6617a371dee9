package ai.molecule.sdk;

import ai.molecule.sdk.identity.NotBelieved;
import ai.molecule.sdk.identity.PairToken;
import ai.molecule.sdk.identity.PairTokenCheck;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The HTTP side of push: {@code POST /}, {@code /a2a} or {@code /a2a/inbound} with JSON-RPC {@code message/send} or the
 * simple form, and the agent card. Requests are at most 1 MiB and have 30 s to arrive; at most {@value #THREADS_MAX} are
 * open at a time, further ones are closed.
 */
final class PushServer {

    private static final Logger LOGGER = System.getLogger(PushServer.class.getName());
    private static final String BEARER = "Bearer ";
    private static final int BODY_MAX_BYTES = 1024 * 1024;
    private static final int THREADS_MAX = 2 * PushOptions.CONCURRENT_MAX;
    private static final int STOP_LIMIT_SECONDS = 2;
    private static final Set<String> INBOUND = Set.of("/", "/a2a", "/a2a/inbound");
    private static final Set<String> CARD = Set.of("/.well-known/agent-card.json", "/.well-known/agent.json");

    static {
        // The JDK's server waits for ever for a request that never ends, and takes its limit from here alone.
        if (System.getProperty("sun.net.httpserver.maxReqTime") == null) {
            System.setProperty("sun.net.httpserver.maxReqTime", "30");
        }
    }

    private final RemoteAgentClient client;
    private final PushDesk desk;
    private final boolean tokenRequired;
    private final HttpServer server;
    private final ExecutorService threads;

    private PushServer(RemoteAgentClient client, PushDesk desk, boolean tokenRequired, HttpServer server) {
        this.client = client;
        this.desk = desk;
        this.tokenRequired = tokenRequired;
        this.server = server;
        var number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(0, THREADS_MAX, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
            var thread = new Thread(work, "molecule-push-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    static PushServer listen(RemoteAgentClient client, PushDesk desk, PushOptions options) {
        try {
            HttpServer http = HttpServer.create(new InetSocketAddress(options.host(), options.port()), 0);
            var server = new PushServer(client, desk, options.tokenRequired(), http);
            http.setExecutor(server.threads);
            http.createContext("/", server::serve);
            http.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + options.host() + ":" + options.port(), e);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    void stop() {
        server.stop(0);
        threads.shutdownNow();
        try {
            threads.awaitTermination(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(BODY_MAX_BYTES + 1);
            String path = exchange.getRequestURI().getPath();
            if (exchange.getRequestMethod().equals("GET") && CARD.contains(path)) {
                answer(exchange, 200, client.agentCard());
            } else if (!exchange.getRequestMethod().equals("POST")) {
                answer(exchange, 501, error("only POST is supported"));
            } else if (!INBOUND.contains(path)) {
                answer(exchange, 404, error("not found"));
            } else if (body.length > BODY_MAX_BYTES) {
                answer(exchange, 413, error("request exceeds 1 MiB"));
            } else if (!WebPages.mayAsk(
                    exchange.getRequestHeaders().getFirst("Origin"),
                    exchange.getRequestHeaders().getFirst("Host"),
                    exchange.getRequestHeaders().getFirst("X-Workspace-ID"))) {
                answer(exchange, 403, error("origin not allowed"));
            } else if (!isForMe(exchange)) {
                answer(exchange, 421, error("this is not the workspace you look for"));
            } else {
                switch (beliefIn(exchange)) {
                    case BELIEVED -> inbound(exchange, body);
                    case REFUSED -> answer(exchange, 401, error("unauthorized"));
                    case UNDECIDED -> {
                        exchange.getResponseHeaders().set("Retry-After", "5");
                        answer(exchange, 503, error("who calls cannot be told yet"));
                    }
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private enum Belief {
        BELIEVED,
        REFUSED,
        UNDECIDED
    }

    /** Whether the caller is who he says: as far as he shows a pair token, or has to. */
    private Belief beliefIn(HttpExchange exchange) {
        String shown = exchange.getRequestHeaders().getFirst("Authorization");
        String token = shown == null || !shown.startsWith(BEARER) ? "" : shown.substring(BEARER.length());
        if (!PairTokenCheck.looksLikeOne(token)) {
            return tokenRequired ? Belief.REFUSED : Belief.BELIEVED;
        }
        String said = exchange.getRequestHeaders().getFirst("X-Workspace-ID");
        try {
            String caller = client.callers().checkOrAsk(token).caller();
            return caller.equalsIgnoreCase(said == null ? PairToken.PLATFORM : said) // none says: a person
                    ? Belief.BELIEVED
                    : Belief.REFUSED;
        } catch (NotBelieved refused) {
            if (!tokenRequired && refused.isUndecided() && !client.callers().knowsKeys()) {
                return Belief.BELIEVED; // who might have shown none is heard while nobody can tell
            }
            LOGGER.log(Level.INFO, "a call was refused: its token is {0}", refused.reason());
            return refused.isUndecided() ? Belief.UNDECIDED : Belief.REFUSED;
        }
    }

    private void inbound(HttpExchange exchange, byte[] body) throws IOException, InterruptedException {
        JsonNode request;
        try {
            request = PlatformHttp.JSON.readTree(body);
        } catch (JsonProcessingException e) {
            answer(exchange, 400, error("bad request: " + e.getOriginalMessage()));
            return;
        }
        if (!request.isObject()) {
            answer(exchange, 400, error("bad request: a JSON object is required"));
            return;
        }
        String sender = exchange.getRequestHeaders().getFirst("X-Workspace-ID");
        try {
            if (request.has("method") || request.has("jsonrpc")) {
                answer(exchange, 200, rpc(request, sender == null ? "" : sender));
            } else {
                answer(exchange, 200, simple(request, sender == null ? "" : sender));
            }
        } catch (PushDesk.Busy e) {
            exchange.getResponseHeaders().add("Retry-After", "5");
            answer(exchange, 503, error("agent is busy"));
        } catch (ExecutionException e) {
            answer(exchange, 500, error("internal error: the message could not be handled"));
        }
    }

    private JsonNode simple(JsonNode payload, String sender)
            throws PushDesk.Busy, ExecutionException, InterruptedException {
        String said = desk.handle(PushedMessage.fromSimple(payload, sender));
        return PlatformHttp.JSON.createObjectNode().put("status", "ok").put("result", said);
    }

    /** JSON-RPC: whatever happens to a message that could be read is said in a response, with HTTP 200. */
    private JsonNode rpc(JsonNode request, String sender) throws PushDesk.Busy, InterruptedException {
        if (!request.path("method").asText().equals("message/send")) {
            return rpcError(
                    request,
                    -32601,
                    "method not found: " + request.path("method").asText());
        }
        InboundMessage message;
        try {
            message = PushedMessage.fromRpc(request, sender);
        } catch (IllegalArgumentException e) {
            return rpcError(request, -32602, String.valueOf(e.getMessage()));
        }
        try {
            String said = desk.handle(message);
            return rpcResult(request, said == null ? "" : said);
        } catch (ExecutionException e) {
            return rpcError(request, -32603, "internal error: the message could not be handled");
        }
    }

    private static ObjectNode rpcResult(JsonNode request, String text) {
        ObjectNode message = PlatformHttp.JSON
                .createObjectNode()
                .put("kind", "message")
                .put("role", "agent")
                .put("messageId", UUID.randomUUID().toString());
        JsonNode context = request.path("params").path("message").path("contextId");
        if (context.isTextual()) {
            message.set("contextId", context);
        }
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        return envelope(request).set("result", message);
    }

    private static ObjectNode rpcError(JsonNode request, int code, String message) {
        ObjectNode envelope = envelope(request);
        envelope.putObject("error").put("code", code).put("message", message);
        return envelope;
    }

    private static ObjectNode envelope(JsonNode request) {
        JsonNode id = request.path("id");
        ObjectNode envelope = PlatformHttp.JSON.createObjectNode().put("jsonrpc", "2.0");
        envelope.set("id", id.isTextual() || id.isNumber() ? id : envelope.nullNode());
        return envelope;
    }

    /** A caller who means another workspace, which had this port before, must not be answered. */
    private boolean isForMe(HttpExchange exchange) {
        String target = exchange.getRequestHeaders().getFirst("X-Molecule-Target");
        return target == null || target.equalsIgnoreCase(client.workspaceId());
    }

    private static ObjectNode error(String text) {
        return PlatformHttp.JSON.createObjectNode().put("error", text);
    }

    private static void answer(HttpExchange exchange, int status, JsonNode body) throws IOException {
        byte[] bytes = PlatformHttp.JSON.writeValueAsBytes(body);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
