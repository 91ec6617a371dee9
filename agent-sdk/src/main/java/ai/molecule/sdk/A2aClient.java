package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Sends A2A messages to other agents and waits for what they say.
 *
 * <p>A call carries {@code X-Workspace-ID}, and {@code X-Molecule-Target} when the peer's id is known, so that whoever took
 * over its port refuses. The caller's own bearer goes to the platform alone, and there to agents' addresses ({@code
 * …/workspaces/<id>/a2a}) alone: whoever chooses the address a peer is found at must neither learn the token nor say what is
 * done with it.
 *
 * <pre>{@code
 * A2aAnswer answer = new A2aClient(config).send(url, Optional.of(peerId), "hello");
 * }</pre>
 */
public final class A2aClient {

    /** How long a call waits unless told otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    private static final ObjectMapper JSON = new ObjectMapper();

    /** What follows the platform's URL in the address it delivers a message at. */
    private static final Pattern DELIVERED_AT = Pattern.compile("/workspaces/[A-Za-z0-9_-]+/a2a");

    private final ClientConfig config;

    public A2aClient(ClientConfig config) {
        this.config = config;
    }

    /** {@link #send(URI, Optional, String, Duration)} within {@link #DEFAULT_TIMEOUT}. */
    public A2aAnswer send(URI url, Optional<String> peerId, String text) {
        return send(url, peerId, text, DEFAULT_TIMEOUT);
    }

    /**
     * Sends {@code message/send} with one text part and waits for the answer. Nothing is repeated: a message whose answer
     * is lost may have been acted on.
     *
     * @param timeout for the whole exchange
     * @throws A2aException when no usable answer came, or the answer is a JSON-RPC error
     */
    public A2aAnswer send(URI url, Optional<String> peerId, String text, Duration timeout) {
        try {
            HttpResponse<byte[]> response = Exchange.send(request(url, peerId, text), timeout);
            return A2aAnswer.fromResponse(bodyOf(response));
        } catch (InterruptedIOException e) {
            throw new A2aException("interrupted while waiting for an answer", e);
        } catch (IOException e) {
            throw new A2aException("cannot be reached: " + Exchange.describe(e), e);
        } catch (UncheckedIOException e) {
            throw new A2aException("the workspace token cannot be read: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new A2aException("has an address that cannot be called: " + url, e);
        }
    }

    private HttpRequest request(URI url, Optional<String> peerId, String text) throws IOException {
        HttpRequest.Builder request = TraceContext.told(HttpRequest.newBuilder(url))
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .header("X-Workspace-ID", config.workspaceId());
        if (config.isOnPlatform(url)) {
            requireDelivery(url);
            config.tokens().load().ifPresent(token -> request.header("Authorization", "Bearer " + token));
            config.orgId().ifPresent(id -> request.header("X-Molecule-Org-Id", id));
        }
        peerId.ifPresent(id -> request.header("X-Molecule-Target", id));
        return request.POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(Envelope.asking(text))))
                .build();
    }

    /** Anything else there would be done in the caller's name. */
    private void requireDelivery(URI url) {
        String base = URI.create(config.platformUrl()).getRawPath();
        String path = String.valueOf(url.getRawPath());
        if (url.getRawQuery() != null
                || !path.startsWith(base)
                || !DELIVERED_AT.matcher(path.substring(base.length())).matches()) {
            throw new A2aException(0, "has an address on the platform where no agent is: " + url);
        }
    }

    private static JsonNode bodyOf(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        JsonNode body;
        try {
            body = JSON.readTree(response.body());
        } catch (IOException notJson) {
            throw new A2aException(status, "answered " + status + " without JSON");
        }
        if (status != 200 && !body.path("error").isObject()) {
            throw new A2aException(
                    status, "answered " + status + ": " + body.path("error").asText("no reason given"));
        }
        return body;
    }
}
