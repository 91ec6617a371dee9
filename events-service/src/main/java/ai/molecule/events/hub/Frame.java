package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.CardAddresses;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An event as it is sent: each form of its bytes is built at most once, however many subscribers there are. */
public final class Frame {

    /** Longer messages are sent in fragments: what clients accept at once by default. */
    private static final int FRAGMENT_MAX_BYTES = 64 * 1024;

    private static final int TEXT = 0x01;
    private static final int CONTINUATION = 0x00;
    private static final int FINAL = 0x80;

    /**
     * By type of event, the members of its payload that hold what agents and people said or do, or by which that could be asked for: for
     * those who took part.
     */
    private static final Map<String, List<String>> WORDS = Map.ofEntries(
            Map.entry("A2A_RESPONSE", List.of("response_body")),
            Map.entry("ACTIVITY_LOGGED", List.of("summary", "tool_trace")),
            Map.entry("AGENT_MESSAGE", List.of("message", "attachments")),
            Map.entry("APPROVAL_APPROVED", List.of("task_id")),
            Map.entry("APPROVAL_DECIDED", List.of("task_id")),
            Map.entry("APPROVAL_DENIED", List.of("task_id")),
            Map.entry("APPROVAL_ESCALATED", List.of("action", "reason", "task_id")),
            Map.entry("APPROVAL_REQUESTED", List.of("action", "reason", "context", "digest", "task_id", "deciders")),
            Map.entry("APPROVAL_UPDATED", List.of("action", "reason", "context", "digest", "task_id", "deciders")),
            Map.entry("CRON_EXECUTED", List.of("schedule_name")),
            Map.entry("CRON_SKIPPED", List.of("schedule_name")),
            Map.entry("DELEGATION_COMPLETE", List.of("response_preview", "delegation_id")),
            Map.entry("DELEGATION_FAILED", List.of("error", "delegation_id")),
            Map.entry("DELEGATION_SENT", List.of("task_preview", "delegation_id")),
            Map.entry("DELEGATION_STATUS", List.of("delegation_id")),
            Map.entry("LIMIT_LEVEL", List.of("id", "title", "asked_by")),
            Map.entry("RUN_COST_UNUSUAL", List.of("id", "title", "asked_by", "kind")),
            Map.entry("TASK_ENDED", List.of("preview")),
            Map.entry("TASK_STARTED", List.of("preview")),
            Map.entry("TASK_UPDATED", List.of("current_task")),
            Map.entry("TASK_WAITING", List.of("question", "task_id", "context_id")),
            Map.entry("TASK_WAIT_ENDED", List.of("task_id")),
            Map.entry("WORKSPACE_DEGRADED", List.of("sample_error")),
            Map.entry("WORKSPACE_OFFLINE", List.of("log_tail")),
            Map.entry("WORKSPACE_PROVISION_FAILED", List.of("log_tail")));

    private final Event event;
    private final long arrivedAtNanos = System.nanoTime();
    private byte @Nullable [] socketBytes;
    private byte @Nullable [] streamBytes;
    private @Nullable Frame withoutWords;
    private @Nullable Frame withoutAddress;
    private @Nullable Frame withoutPayload;

    public Frame(Event event) {
        this.event = event;
    }

    public Event event() {
        return event;
    }

    /** The same event for those who may know that it happened but took no part in it; this one when nothing is said in it. */
    Frame withoutWords() {
        if (withoutWords == null) {
            var words = WORDS.getOrDefault(event.type(), List.of());
            withoutWords = words.stream().noneMatch(event.payload()::has)
                    ? this
                    : new Frame(new Event(
                            event.seq(),
                            event.type(),
                            event.workspaceId(),
                            event.timestamp(),
                            Json.object().<ObjectNode>setAll(event.payload()).remove(words)));
        }
        return withoutWords;
    }

    /** That it happened, and nothing else. */
    Frame withoutPayload() {
        if (withoutPayload == null) {
            withoutPayload = new Frame(
                    new Event(event.seq(), event.type(), event.workspaceId(), event.timestamp(), Json.object()));
        }
        return withoutPayload;
    }

    /** The same event for agents that are told no other's own address; this one when it names none. */
    Frame withoutAddress(PeerAddresses addresses) {
        if (withoutAddress == null) {
            withoutAddress = withAddress(addresses);
        }
        return withoutAddress;
    }

    private Frame withAddress(PeerAddresses addresses) {
        var about = event.workspaceId();
        var payload = event.payload();
        if (about == null || !(payload.has("url") || payload.has("agent_card"))) {
            return this;
        }
        String address = addresses.addressOf(about);
        var shown = Json.object().<ObjectNode>setAll(payload);
        if (shown.has("url")) {
            shown.put("url", address);
        }
        if (shown.has("agent_card")) {
            shown.set("agent_card", CardAddresses.at(shown.path("agent_card"), address));
        }
        return new Frame(new Event(event.seq(), event.type(), about, event.timestamp(), shown));
    }

    long arrivedAtNanos() {
        return arrivedAtNanos;
    }

    /** The position; 0 for an ephemeral event. */
    long seq() {
        Long seq = event.seq();
        return seq == null ? 0 : seq;
    }

    /** One WebSocket text message as a server sends it: unmasked (RFC 6455, section 5.2). */
    byte[] socketBytes() {
        if (socketBytes == null) {
            socketBytes = inFragments(Json.bytes(event.toEnvelope()));
        }
        return socketBytes;
    }

    /** One server-sent event, with the position as its id when it has one. */
    byte[] streamBytes() {
        if (streamBytes == null) {
            var data = Json.object()
                    .put("type", event.type())
                    .put("timestamp", event.timestamp().toEpochMilli());
            data.set("data", event.payload());
            String id = event.seq() == null ? "" : "id: " + event.seq() + "\n";
            streamBytes = (id + "data: " + Json.text(data) + "\n\n").getBytes(StandardCharsets.UTF_8);
        }
        return streamBytes;
    }

    private static byte[] inFragments(byte[] text) {
        int full = (text.length - 1) / FRAGMENT_MAX_BYTES; // all but the last
        int rest = text.length - full * FRAGMENT_MAX_BYTES;
        var message = ByteBuffer.allocate(text.length + full * headerBytes(FRAGMENT_MAX_BYTES) + headerBytes(rest));
        for (int i = 0; i <= full; i++) {
            int length = i < full ? FRAGMENT_MAX_BYTES : rest;
            message.put((byte) ((i == 0 ? TEXT : CONTINUATION) | (i == full ? FINAL : 0)));
            putLength(message, length);
            message.put(text, i * FRAGMENT_MAX_BYTES, length);
        }
        return message.array();
    }

    private static int headerBytes(int length) {
        return length < 126 ? 2 : length < 65_536 ? 4 : 10;
    }

    private static void putLength(ByteBuffer message, int length) {
        switch (headerBytes(length)) {
            case 2 -> message.put((byte) length);
            case 4 -> message.put((byte) 126).putShort((short) length);
            default -> message.put((byte) 127).putLong(length);
        }
    }
}
