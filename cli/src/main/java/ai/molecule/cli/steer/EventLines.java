package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Events as lines: when, what, who, and the words that say most. To be used by one thread and its one socket. */
final class EventLines {

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

    /** What a socket said; whether somebody reads on. */
    boolean hear(String message) {
        try {
            live(new JsonObject(message));
        } catch (DecodeException noEvent) {
            console.say("The platform sent something that is no event.");
        }
        return !console.isUnheard();
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
}
