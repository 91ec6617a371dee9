package ai.molecule.runtime.prompts;

import ai.molecule.sdk.ClientConfig;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the platform's events ({@code /ws}) and counts those after which other things are true of this agent's
 * surroundings. Connects again for as long as it is open: after 1 s, doubling, at most 30 s.
 */
final class PlatformEvents implements AutoCloseable {

    /** The platform pings every 30 s; one that is silent for longer is gone. */
    static final Duration SILENCE_MAX = Duration.ofSeconds(95);

    private static final Logger LOGGER = LoggerFactory.getLogger(PlatformEvents.class);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PAUSE_MIN = Duration.ofSeconds(1);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(30);

    /** The name of an event stands at its beginning. */
    private static final int LOOKED_AT_CHARS = 4096;

    private static final JsonFactory JSON = new JsonFactory();

    private final ClientConfig config;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    private final AtomicLong changes = new AtomicLong();
    private final AtomicBoolean listening = new AtomicBoolean();
    private final Thread thread = Thread.ofVirtual().name("platform-events").unstarted(this::live);

    private PlatformEvents(ClientConfig config) {
        this.config = config;
    }

    /** Connects on a thread of its own and returns at once. */
    static PlatformEvents open(ClientConfig config) {
        var events = new PlatformEvents(config);
        events.thread.start();
        return events;
    }

    /** Grows with everything that may have changed something; beginning and ceasing to listen count too. */
    long changes() {
        return changes.get();
    }

    /** While it is false, things may change without a word. */
    boolean listening() {
        return listening.get();
    }

    @Override
    public void close() {
        thread.interrupt();
        http.shutdownNow();
    }

    private void live() {
        Duration pause = PAUSE_MIN;
        try {
            while (true) {
                long start = System.nanoTime();
                listen();
                boolean stood = System.nanoTime() - start > PAUSE_MAX.toNanos();
                pause = stood ? PAUSE_MIN : pause;
                Thread.sleep(pause);
                pause = pause.multipliedBy(2).compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : PAUSE_MAX;
            }
        } catch (InterruptedException closed) {
            LOGGER.debug("no longer listening to events");
        }
    }

    private void listen() throws InterruptedException {
        var ears = new Ears();
        WebSocket socket = null;
        try {
            socket = connect(ears);
            changes.incrementAndGet();
            listening.set(true);
            ears.awaitEnd();
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            LOGGER.atDebug().setCause(e).log("cannot listen to the platform's events");
        } finally {
            listening.set(false);
            changes.incrementAndGet();
            if (socket != null) {
                socket.abort();
            }
        }
    }

    private WebSocket connect(Ears ears) throws InterruptedException, ExecutionException, TimeoutException {
        var builder = http.newWebSocketBuilder()
                .connectTimeout(CONNECT_TIMEOUT)
                .header("X-Workspace-ID", config.workspaceId());
        config.tokens().load().ifPresent(token -> builder.header("Authorization", "Bearer " + token));
        config.orgId().ifPresent(id -> builder.header("X-Molecule-Org-Id", id));
        var uri = URI.create("ws" + config.platformUrl().substring("http".length()) + "/ws");
        return builder.buildAsync(uri, ears).get(CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Statuses, places and names of workspaces, what they can do, and house rules. Heartbeats change none of it. */
    static boolean concernsSurroundings(String event) {
        return event.equals("AGENT_CARD_UPDATED")
                || event.equals("INSTRUCTIONS_CHANGED")
                || event.equals("GAP")
                || (event.startsWith("WORKSPACE_") && !event.equals("WORKSPACE_HEARTBEAT"));
    }

    /** @param message the beginning of one, which need not be all of it */
    static String nameOf(CharSequence message) {
        try (JsonParser json = JSON.createParser(message.toString())) {
            if (json.nextToken() == JsonToken.START_OBJECT) {
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    boolean name = json.currentName().equals("event");
                    if (json.nextToken() == JsonToken.VALUE_STRING && name) {
                        return json.getText();
                    }
                    json.skipChildren();
                }
            }
        } catch (IOException notJsonOrCut) {
            // then it has no name
        }
        return "";
    }

    private final class Ears implements WebSocket.Listener {

        private final CountDownLatch over = new CountDownLatch(1);
        private final AtomicLong lastHeard = new AtomicLong(System.nanoTime());
        private final StringBuilder message = new StringBuilder();

        /** Returns when the connection has ended, or nothing was heard for too long. */
        void awaitEnd() throws InterruptedException {
            long left = SILENCE_MAX.toNanos();
            while (left > 0 && !over.await(left, TimeUnit.NANOSECONDS)) {
                left = lastHeard.get() + SILENCE_MAX.toNanos() - System.nanoTime();
            }
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            lastHeard.set(System.nanoTime());
            message.append(data, 0, Math.min(data.length(), Math.max(0, LOOKED_AT_CHARS - message.length())));
            if (last) {
                if (concernsSurroundings(nameOf(message))) {
                    changes.incrementAndGet();
                }
                message.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onPing(WebSocket socket, ByteBuffer data) {
            lastHeard.set(System.nanoTime());
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            over.countDown();
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            over.countDown();
        }
    }
}
