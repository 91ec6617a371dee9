package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Events as lines: when, what, who, and the words that say most. To be used by one thread and its one socket. */
final class EventLines {

    private static final int MESSAGE_MAX_CHARS = 16 * 1024 * 1024;
    private static final int WORDS_MAX_CHARS = 100;

    /** Members of payloads that people read first. */
    private static final List<String> WORDS =
            List.of("action", "preview", "summary", "message", "error", "status", "name", "response_body");

    private final Console console;
    private final PlatformApi api;
    private final @Nullable String only;
    private final boolean json;
    private final Map<String, String> names = new HashMap<>();
    private final AtomicLong position;
    private volatile long heard;
    private CountDownLatch closed = new CountDownLatch(1);

    /**
     * @param only the one workspace that is of interest; null for all
     * @param position of the newest recorded event
     */
    EventLines(Console console, PlatformApi api, @Nullable String only, long position, boolean json) {
        this.console = console;
        this.api = api;
        this.only = only;
        this.position = new AtomicLong(position);
        this.json = json;
    }

    /** The last recorded event that was shown, or came and was of no interest. */
    long position() {
        return position.get();
    }

    /** A row of the event log. */
    void recorded(JsonObject row) {
        show(
                row,
                row.getString("created_at", ""),
                row.getString("event_type", ""),
                row.getString("workspace_id"),
                row.getJsonObject("payload", new JsonObject()),
                row.getLong("seq", 0L));
    }

    /** For a socket that is about to be opened. */
    WebSocket.Listener listen() {
        closed = new CountDownLatch(1);
        return new Incoming(closed);
    }

    /** Whether it was; not when nothing was heard for so long, pings included. */
    boolean untilClosed(Duration silenceMax) throws InterruptedException {
        heard = System.nanoTime();
        for (long rest = silenceMax.toNanos(); rest > 0; rest = silenceMax.toNanos() - (System.nanoTime() - heard)) {
            if (closed.await(rest, TimeUnit.NANOSECONDS)) {
                return true;
            }
        }
        return false;
    }

    private void live(JsonObject event) {
        show(
                event,
                event.getString("timestamp", ""),
                event.getString("event", ""),
                event.getString("workspace_id"),
                event.getJsonObject("payload", new JsonObject()),
                event.getLong("seq", 0L));
    }

    private void show(
            JsonObject whole, String at, String type, @Nullable String workspace, JsonObject payload, long seq) {
        position.accumulateAndGet(seq, Math::max);
        if (only != null && !only.equals(workspace)) {
            return;
        }
        console.out(
                json
                        ? whole.encode()
                        : "%s  %-26s %-20s %s"
                                .formatted(clock(at), Printable.line(type), nameOf(workspace), words(payload))
                                .stripTrailing());
    }

    private static String clock(String at) {
        return at.length() >= 19 ? Printable.line(at.substring(11, 19)) : "        ";
    }

    private static String words(JsonObject payload) {
        return WORDS.stream()
                .map(payload::getValue)
                .filter(value -> value instanceof String text && !text.isBlank())
                .map(value -> Printable.line((String) value))
                .map(text -> text.length() > WORDS_MAX_CHARS ? text.substring(0, WORDS_MAX_CHARS) + "…" : text)
                .limit(2)
                .collect(Collectors.joining(": "));
    }

    private String nameOf(@Nullable String workspace) {
        if (workspace == null || workspace.isEmpty()) {
            return "-";
        }
        if (!names.containsKey(workspace)) {
            names.put(workspace, workspace.substring(0, Math.min(8, workspace.length())));
            try {
                api.agents().forEach(agent -> names.put(agent.id(), agent.name()));
            } catch (IOException away) {
                return names.get(workspace); // by its id until somebody new comes
            }
        }
        return names.get(workspace);
    }

    /** The socket's messages, put together again. */
    private final class Incoming implements WebSocket.Listener {

        private final CountDownLatch over;
        private final StringBuilder message = new StringBuilder();

        Incoming(CountDownLatch over) {
            this.over = over;
        }

        @Override
        public @Nullable CompletionStage<?> onPing(WebSocket socket, ByteBuffer data) {
            heard = System.nanoTime();
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            heard = System.nanoTime();
            message.append(data);
            if (message.length() > MESSAGE_MAX_CHARS) {
                socket.abort();
                over.countDown();
                return null;
            }
            if (last) {
                try {
                    live(new JsonObject(message.toString()));
                } catch (DecodeException noEvent) {
                    console.say("The platform sent something that is no event.");
                }
                message.setLength(0);
            }
            if (console.isUnheard()) {
                socket.abort();
                over.countDown();
                return null;
            }
            socket.request(1);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            over.countDown();
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable failure) {
            over.countDown();
        }
    }
}
