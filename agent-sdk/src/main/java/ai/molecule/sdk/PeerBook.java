package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Peers and how to reach them: through the platform, or first directly, with a pair token, for who asks for that. */
final class PeerBook {

    private static final Logger LOGGER = System.getLogger(PeerBook.class.getName());
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

    private final ClientConfig config;
    private final PlatformClient platform;
    private final PlatformHttp http;
    private final PeerUrls urls;

    PeerBook(ClientConfig config, PlatformClient platform, PlatformHttp http, PeerUrls urls) {
        this.config = config;
        this.platform = platform;
        this.http = http;
        this.urls = urls;
    }

    List<Peer> peers() {
        List<Peer> peers = platform.peers();
        for (Peer peer : peers) {
            callable(peer.url()).ifPresent(url -> urls.put(peer.id(), url));
        }
        return peers;
    }

    Optional<URI> discover(String peerId) {
        Optional<URI> known = urls.find(peerId);
        if (known.isPresent()) {
            return known;
        }
        return find(peerId).map(PeerAddress::url);
    }

    private Optional<PeerAddress> find(String peerId) {
        Optional<PeerAddress> found = platform.find(peerId);
        found.ifPresent(address -> urls.put(peerId, address));
        return found;
    }

    void forget(String peerId) {
        urls.forget(peerId);
    }

    /** Both ways carry the same messageId, so that a peer whose direct answer was lost knows the message again. */
    JsonNode call(String peerId, String text, boolean preferDirect) {
        JsonNode envelope = Envelope.of("user", text);
        if (preferDirect) {
            Optional<PeerAddress> address =
                    urls.callable(peerId).or(() -> find(peerId)).filter(each -> !config.isOnPlatform(each.url()));
            if (address.isPresent()) {
                try {
                    JsonNode answer = direct(address.get(), peerId, envelope);
                    note(peerId, text, answer);
                    return answer;
                } catch (IOException | IllegalArgumentException e) {
                    if (Thread.currentThread().isInterrupted()) {
                        throw new PlatformException("interrupted while calling a peer", e);
                    }
                    LOGGER.log(
                            Level.WARNING,
                            "peer {0} did not answer directly ({1}), going through the platform",
                            peerId,
                            e.getMessage());
                    urls.forget(peerId);
                }
            }
        }
        String path = "/workspaces/" + PlatformHttp.encoded(peerId) + "/a2a";
        return http.post(path, envelope, CALL_TIMEOUT, "X-Workspace-ID", config.workspaceId());
    }

    /** Without the bearer, which is the platform's alone to see: with a token that is worth nothing anywhere but at this peer. */
    private JsonNode direct(PeerAddress address, String peerId, JsonNode envelope) throws IOException {
        HttpRequest.Builder request = TraceContext.told(HttpRequest.newBuilder(address.url()))
                .header("Content-Type", "application/json")
                .header("X-Workspace-ID", config.workspaceId())
                .header("X-Molecule-Target", peerId)
                .POST(PlatformHttp.json(envelope));
        address.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
        HttpResponse<byte[]> response = Exchange.send(request.build(), CALL_TIMEOUT);
        if (response.statusCode() / 100 != 2) {
            throw new IOException("it answered " + response.statusCode());
        }
        return PlatformHttp.JSON.readTree(response.body());
    }

    /** Nobody but the two knows of it else. A platform that does not take the note changes nothing. */
    private void note(String peerId, String text, JsonNode answer) {
        ObjectNode note = PlatformHttp.JSON
                .createObjectNode()
                .put("activity_type", "a2a_send")
                .put("source_id", config.workspaceId())
                .put("target_id", peerId)
                .put("method", "message/send")
                .put("summary", "Asked a peer directly")
                .put("status", answer.path("error").isObject() ? "error" : "ok");
        note.putObject("request_body").put("task", text);
        note.set("response_body", answer);
        try {
            http.post("/workspaces/" + PlatformHttp.encoded(config.workspaceId()) + "/activity", note, CALL_TIMEOUT);
        } catch (PlatformException notTaken) {
            LOGGER.log(Level.DEBUG, "the platform did not note a direct call: {0}", notTaken.getMessage());
        }
    }

    private static Optional<URI> callable(String url) {
        try {
            return url.startsWith("http://") || url.startsWith("https://")
                    ? Optional.of(URI.create(url))
                    : Optional.empty();
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }
}
