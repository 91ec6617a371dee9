package ai.molecule.system;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** A canvas: connected to {@code /ws}, it keeps every event in the order of arrival. */
public final class EventStream implements AutoCloseable {

    private final List<JsonNode> events = new CopyOnWriteArrayList<>();
    private final WebSocket socket;

    public EventStream(Platform platform) {
        this(platform.url);
    }

    /** @param url of the front door */
    public EventStream(String url) {
        socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(url.replace("http://", "ws://") + "/ws"), new Listener())
                .join();
    }

    public List<JsonNode> events() {
        return List.copyOf(events);
    }

    /** The names of the events about one workspace, in order. */
    public List<String> namesOf(String workspaceId) {
        return events.stream()
                .filter(event -> workspaceId.equals(event.get("workspace_id").asText()))
                .map(event -> event.get("event").asText())
                .toList();
    }

    public List<Long> positions() {
        return events.stream()
                .filter(event -> event.has("seq"))
                .map(event -> event.get("seq").asLong())
                .toList();
    }

    void forget() {
        events.clear();
    }

    @Override
    public void close() {
        socket.abort();
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder partial = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket webSocket, CharSequence text, boolean last) {
            partial.append(text);
            if (last) {
                try {
                    events.add(Platform.JSON.readTree(partial.toString()));
                } catch (IOException failure) {
                    throw new UncheckedIOException(failure);
                }
                partial.setLength(0);
            }
            webSocket.request(1);
            return null;
        }
    }
}
