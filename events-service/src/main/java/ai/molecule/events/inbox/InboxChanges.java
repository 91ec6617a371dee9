package ai.molecule.events.inbox;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a run of recorded events makes of the inbox: pure, each row at most once, as the last event about it left it. First
 * everything of {@link #goneAt} is resolved, then {@link #opened} and {@link #resolved} apply, in any order.
 */
final class InboxChanges {

    private static final int WORDS_MAX_CHARS = 400;
    private static final int TEXT_MAX_CHARS = 2_000;
    private static final int MEMBER_MAX_CHARS = 20_000;

    /** @param expiresAt null where it waits for as long as it takes */
    record Opened(
            InboxSource source,
            UUID workspaceId,
            String words,
            ObjectNode details,
            Instant at,
            @Nullable Instant expiresAt) {}

    private final Map<UUID, Opened> opened = new LinkedHashMap<>();
    private final Map<UUID, Instant> resolved = new LinkedHashMap<>();
    private final Map<UUID, Instant> goneAt = new LinkedHashMap<>();

    private InboxChanges() {}

    /** In the order of their positions. */
    static InboxChanges of(List<Event> events) {
        var changes = new InboxChanges();
        events.forEach(changes::apply);
        return changes;
    }

    Map<UUID, Opened> opened() {
        return opened;
    }

    /** Ids of rows, and when; whether there are such rows the store knows. */
    Map<UUID, Instant> resolved() {
        return resolved;
    }

    /** Workspaces that were removed. */
    Map<UUID, Instant> goneAt() {
        return goneAt;
    }

    private void apply(Event event) {
        if (event.type().equals(InboxSource.DISMISSED)) {
            Ids.find(event.payload().path("id").asText()).ifPresent(id -> resolve(id, event));
            return;
        }
        var workspaceId = event.workspaceId();
        if (workspaceId == null) {
            return;
        }
        if (event.type().equals(InboxSource.GONE)) {
            goneAt.put(workspaceId, event.timestamp());
            opened.values().removeIf(row -> row.workspaceId.equals(workspaceId));
            return;
        }
        for (var source : InboxSource.ALL) {
            if (!source.types().contains(event.type())) {
                continue;
            }
            var id = source.idOf(workspaceId, event.payload());
            if (source.opens().test(event)) {
                resolved.remove(id);
                opened.put(id, opened(source, workspaceId, event));
            } else if (source.resolves().test(event)) {
                resolve(id, event);
            }
        }
    }

    private void resolve(UUID id, Event event) {
        opened.remove(id);
        resolved.put(id, event.timestamp());
    }

    private static Opened opened(InboxSource source, UUID workspaceId, Event event) {
        var details = Json.object();
        for (String member : source.keeps()) {
            var value = event.payload().get(member);
            if (value != null && !value.isNull()) {
                details.set(member, bounded(value));
            }
        }
        return new Opened(
                source,
                workspaceId,
                cut(source.words().apply(event.payload()), WORDS_MAX_CHARS),
                details,
                event.timestamp(),
                timeOf(event.payload().path("expires_at")));
    }

    private static JsonNode bounded(JsonNode value) {
        if (value.isTextual()) {
            return Json.MAPPER.getNodeFactory().textNode(cut(value.textValue(), TEXT_MAX_CHARS));
        }
        return value.isContainerNode() && Json.text(value).length() > MEMBER_MAX_CHARS ? Json.MAPPER.nullNode() : value;
    }

    /** Never through the middle of a character. */
    private static String cut(String text, int max) {
        if (text.length() <= max) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(max - 2)) ? max - 2 : max - 1;
        return text.substring(0, end) + "…";
    }

    private static @Nullable Instant timeOf(JsonNode said) {
        try {
            return said.isTextual() ? OffsetDateTime.parse(said.textValue()).toInstant() : null;
        } catch (DateTimeException malformed) {
            return null;
        }
    }
}
