package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import org.jspecify.annotations.Nullable;

/** An event as it is sent: each form of its text is built at most once, however many subscribers there are. */
public final class Frame {

    private final Event event;
    private final long arrivedAtNanos = System.nanoTime();
    private @Nullable String socketText;
    private @Nullable String streamText;

    public Frame(Event event) {
        this.event = event;
    }

    public Event event() {
        return event;
    }

    long arrivedAtNanos() {
        return arrivedAtNanos;
    }

    /** One WebSocket text message. */
    public String socketText() {
        if (socketText == null) {
            socketText = Json.text(event.toEnvelope());
        }
        return socketText;
    }

    /** One server-sent event, with the position as its id when it has one. */
    public String streamText() {
        if (streamText == null) {
            var data = Json.object()
                    .put("type", event.type())
                    .put("timestamp", event.timestamp().toEpochMilli());
            data.set("data", event.payload());
            String id = event.seq() == null ? "" : "id: " + event.seq() + "\n";
            streamText = id + "data: " + Json.text(data) + "\n\n";
        }
        return streamText;
    }
}
