package ai.molecule.system.faults;

import ai.molecule.system.Platform;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A canvas that follows the recorded events from the first on, and whenever its connection ends comes back with its position, to
 * each of its addresses in turn.
 */
final class Follower implements AutoCloseable {

    private static final long PAUSE_MILLIS = 100;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<String> recorded = new CopyOnWriteArrayList<>();
    private final List<String> urls;
    private final Thread thread;
    private volatile long position;
    private volatile int connections;
    private volatile boolean closed;

    /** @param urls of front doors or of events-service itself */
    Follower(String... urls) {
        this.urls = List.of(urls);
        this.thread = Thread.ofVirtual().name("follower").start(this::follow);
    }

    /** As {@link LogTable#rows} lists them, in the order of arrival. */
    List<String> recorded() {
        return List.copyOf(recorded);
    }

    /** How often it got a connection. */
    int connections() {
        return connections;
    }

    private void follow() {
        for (int attempt = 0; !closed; attempt++) {
            try {
                String url = urls.get(attempt % urls.size()).replace("http://", "ws://") + "/ws?since=" + position;
                var connection = new Connection();
                var socket = http.newWebSocketBuilder()
                        .buildAsync(URI.create(url), connection)
                        .join();
                connections++;
                connection.ended.join();
                socket.abort();
            } catch (RuntimeException refused) {
                // the next attempt may do better
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException interrupted) {
                return;
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        http.shutdownNow();
    }

    private final class Connection implements WebSocket.Listener {
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final StringBuilder partial = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
            partial.append(text);
            if (last) {
                keep(partial.toString());
                partial.setLength(0);
            }
            socket.request(1);
            return null;
        }

        private void keep(String text) {
            try {
                var event = Platform.JSON.readTree(text);
                if (event.has("seq")) {
                    recorded.add(LogTable.row(event));
                    position = event.get("seq").asLong();
                } else if (event.get("event").asText().equals("GAP")) {
                    recorded.add(text); // none of these tests prunes
                }
            } catch (IOException failure) {
                recorded.add(failure.toString());
            }
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            ended.complete(null);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable failure) {
            ended.complete(null);
        }
    }
}
