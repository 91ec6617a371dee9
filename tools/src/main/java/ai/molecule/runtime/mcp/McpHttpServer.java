package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The tools {@linkplain McpOverHttp over HTTP}, at {@code /mcp} of a loopback port; anything but a POST is 405. Bodies are at most 4 MiB, and {@value #AT_ONCE_MAX} requests are answered at a time; a further one is 503.
 *
 * <p>Whoever may connect to loopback may use the tools, with the workspace's token. A page in a browser may not: its
 * {@code Origin} is refused with 403 unless it is of this machine.
 */
public final class McpHttpServer implements AutoCloseable {

    public static final String PATH = "/mcp";

    private static final int AT_ONCE_MAX = 32;
    private static final String ARRIVAL_MAX_SECONDS = "30";
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private static final ObjectMapper JSON = new ObjectMapper();

    static {
        // The JDK's server waits for ever for a request that never ends, and takes its limit from here alone.
        if (System.getProperty("sun.net.httpserver.maxReqTime") == null) {
            System.setProperty("sun.net.httpserver.maxReqTime", ARRIVAL_MAX_SECONDS);
        }
    }

    private final McpMethods methods;
    private final HttpServer server;
    private final Semaphore free = new Semaphore(AT_ONCE_MAX);

    private McpHttpServer(McpMethods methods, HttpServer server) {
        this.methods = methods;
        this.server = server;
    }

    /**
     * Serves from now on.
     *
     * @param port 0 lets the system choose
     * @throws IOException when it is taken
     */
    public static McpHttpServer listen(Toolbox toolbox, int port) throws IOException {
        return listen(new McpMethods(toolbox, Tools.ALL), port);
    }

    static McpHttpServer listen(McpMethods methods, int port) throws IOException {
        var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        var server = new McpHttpServer(methods, http);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        http.createContext("/", server::serve);
        http.start();
        return server;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** At once; tools at work are left. */
    @Override
    public void close() {
        server.stop(0);
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals(PATH)) {
                refuse(exchange, 404, "not found");
            } else if (!isOfThisMachine(exchange.getRequestHeaders().getFirst("Origin"))) {
                refuse(exchange, 403, "origin not allowed");
            } else if (!exchange.getRequestMethod().equals("POST")) {
                exchange.getResponseHeaders().add("Allow", "POST");
                refuse(exchange, 405, "only POST is supported");
            } else if (!free.tryAcquire()) {
                exchange.getResponseHeaders().add("Retry-After", "1");
                refuse(exchange, 503, "%d requests are being answered".formatted(AT_ONCE_MAX));
            } else {
                try {
                    post(exchange);
                } finally {
                    free.release();
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void post(HttpExchange exchange) throws IOException, InterruptedException {
        byte[] body = exchange.getRequestBody().readNBytes(McpOverHttp.BODY_MAX_BYTES + 1);
        if (body.length > McpOverHttp.BODY_MAX_BYTES) {
            refuse(exchange, 413, "request exceeds 4 MiB");
            return;
        }
        var reply = McpOverHttp.reply(methods, body, exchange.getRequestHeaders()::getFirst);
        if (reply.subscription().isPresent()) {
            exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
            exchange.getResponseHeaders().add("Cache-Control", "no-cache");
            exchange.sendResponseHeaders(reply.status(), 0);
            reply.subscription().get().tell(new Events(exchange.getResponseBody()));
        } else if (reply.body().isPresent()) {
            answer(exchange, reply.status(), reply.body().get());
        } else {
            exchange.sendResponseHeaders(reply.status(), -1);
        }
    }

    private record Events(OutputStream out) implements TaskSubscription.Listener {

        @Override
        public void hear(ObjectNode message) throws IOException {
            write(McpOverHttp.Reply.event(message));
        }

        @Override
        public void stillThere() throws IOException {
            write(": still there\n\n");
        }

        private void write(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }

    private static boolean isOfThisMachine(@Nullable String origin) {
        try {
            return origin == null
                    || LOOPBACK.contains(String.valueOf(URI.create(origin).getHost()));
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    private static void refuse(HttpExchange exchange, int status, String why) throws IOException {
        answer(exchange, status, JSON.createObjectNode().put("error", why));
    }

    private static void answer(HttpExchange exchange, int status, JsonNode body) throws IOException {
        byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
