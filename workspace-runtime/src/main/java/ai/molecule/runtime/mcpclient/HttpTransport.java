package ai.molecule.runtime.mcpclient;

import ai.molecule.runtime.mcpclient.McpFailure.Kind;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server at a URL, over MCP's streamable HTTP: each request is a POST, answered in JSON or as a stream of events. */
final class HttpTransport implements McpTransport {

    private static final Logger LOGGER = LoggerFactory.getLogger(HttpTransport.class);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration TELL_TIMEOUT = Duration.ofSeconds(10);
    private static final String SESSION = "Mcp-Session-Id";

    private final McpServerConfig server;
    private final URI url;
    private final Runnable toolsChanged;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();
    private volatile @Nullable String session;
    private volatile @Nullable String version;
    private volatile boolean open = true;

    HttpTransport(McpServerConfig server, URI url, Runnable toolsChanged) {
        this.server = server;
        this.url = url;
        this.toolsChanged = toolsChanged;
    }

    @Override
    public JsonNode ask(ObjectNode request, Duration timeout) throws InterruptedException {
        var answer = new CompletableFuture<JsonNode>();
        Thread exchange = Thread.ofVirtual().name("mcp-" + server.name()).start(() -> {
            try {
                answer.complete(exchange(request));
            } catch (IOException | InterruptedException | RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new McpFailure(Kind.SILENT, "did not answer within " + timeout.toSeconds() + " s");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof McpFailure failure
                    ? failure
                    : new McpFailure(Kind.BROKEN, "cannot be reached (" + nameOf(e.getCause()) + ")");
        } finally {
            exchange.interrupt(); // leaves the connection, and does nothing when the answer is there
        }
    }

    @Override
    public void tell(ObjectNode message) {
        var _ = client.sendAsync(post(message).timeout(TELL_TIMEOUT).build(), BodyHandlers.discarding())
                .exceptionally(lost -> {
                    LOGGER.atDebug()
                            .addKeyValue("server", server.name())
                            .setCause(lost)
                            .log("not told");
                    return null;
                });
    }

    @Override
    public void speaks(String agreed) {
        version = agreed;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
        client.shutdownNow();
    }

    private JsonNode exchange(ObjectNode request) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = client.send(post(request).build(), BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            int status = response.statusCode();
            if (status == 404 && session != null) {
                throw new McpFailure(Kind.BROKEN, "has forgotten the session");
            }
            if (status / 100 != 2) {
                throw new McpFailure(
                        status / 100 == 5 ? Kind.BROKEN : Kind.REFUSED,
                        "answered HTTP " + status
                                + (status == 401 || status == 403 ? ": its credentials are wrong" : ""));
            }
            response.headers().firstValue(SESSION).ifPresent(given -> session = given);
            String type = response.headers().firstValue("Content-Type").orElse("");
            return type.startsWith("text/event-stream") ? fromStream(request, body) : fromBody(body);
        }
    }

    private static JsonNode fromBody(InputStream body) throws IOException {
        byte[] bytes = body.readNBytes(MESSAGE_MAX_BYTES + 1);
        if (bytes.length > MESSAGE_MAX_BYTES) {
            throw new McpFailure(Kind.REFUSED, "sent a message of more than 2 MiB, which was left unread");
        }
        JsonNode answer = JsonRpc.read(bytes);
        if (!JsonRpc.isAnswer(answer)) {
            throw new McpFailure(Kind.REFUSED, "answered something that is no JSON-RPC");
        }
        return answer;
    }

    private JsonNode fromStream(ObjectNode request, InputStream body) throws IOException {
        var events = new EventStream(body, MESSAGE_MAX_BYTES, UNASKED_MAX_BYTES);
        for (var data = events.next(); data.isPresent(); data = events.next()) {
            JsonNode message = JsonRpc.read(data.get());
            if (JsonRpc.isAnswer(message)
                    && message.path("id").asText().equals(request.path("id").asText())) {
                return message;
            }
            if (JsonRpc.saysToolsChanged(message)) {
                toolsChanged.run();
            }
            JsonRpc.reactionTo(message).ifPresent(this::tell);
        }
        throw new McpFailure(Kind.REFUSED, "ended its stream without an answer");
    }

    private HttpRequest.Builder post(ObjectNode message) {
        var request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(BodyPublishers.ofString(message.toString()));
        server.headers().forEach(request::setHeader);
        String ours = session;
        if (ours != null) {
            request.setHeader(SESSION, ours);
        }
        String agreed = version;
        if (agreed != null) {
            request.setHeader("MCP-Protocol-Version", agreed);
        }
        return request;
    }

    private static String nameOf(@Nullable Throwable failure) {
        return failure == null ? "no reason" : failure.getClass().getSimpleName();
    }
}
