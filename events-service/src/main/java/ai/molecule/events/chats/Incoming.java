package ai.molecule.events.chats;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the bot was told, of what counts: a person's own words, or a button that was pressed, where nobody else listens.
 *
 * @param text null for a picture, a sound or anything else without words
 * @param pressed null for words
 */
record Incoming(
        long updateId,
        String sender,
        @Nullable String text,
        @Nullable Pressed pressed) {

    private static final Pattern CODE =
            Pattern.compile("(?s)\\s*/(?:link|start)\\s+(\\p{Alpha}{4}[-\\s]?\\p{Alpha}{4})\\s*");
    private static final Pattern DATA = Pattern.compile("([yn]):([0-9a-f-]{36})(?::([0-9a-f]{24}))?");

    /**
     * @param id by which the messenger is told that it was seen
     * @param digest how the digest begins of what stood above the button; empty of messages from before there were any
     */
    record Pressed(String id, boolean yes, UUID inboxId, String digest) {}

    /** Empty for what comes from a group, a channel or another bot, and for every kind that was not asked for. */
    static Optional<Incoming> of(JsonNode update) {
        long id = update.path("update_id").asLong();
        var query = update.path("callback_query");
        var message = query.isObject() ? query.path("message") : update.path("message");
        var from = query.isObject() ? query.path("from") : message.path("from");
        String sender = from.path("id").asText();
        boolean alone = message.at("/chat/type").asText().equals("private")
                && message.at("/chat/id").asText().equals(sender)
                && !from.path("is_bot").asBoolean();
        if (!alone || !sender.matches("\\d{1,20}")) {
            return Optional.empty();
        }
        if (!query.isObject()) {
            return Optional.of(new Incoming(id, sender, message.path("text").textValue(), null));
        }
        var data = DATA.matcher(query.path("data").asText());
        return data.matches()
                ? Optional.of(new Incoming(
                        id,
                        sender,
                        null,
                        new Pressed(
                                query.path("id").asText(),
                                data.group(1).equals("y"),
                                UUID.fromString(data.group(2)),
                                Objects.requireNonNullElse(data.group(3), ""))))
                : Optional.empty();
    }

    /** What the buttons under a question say. */
    static String data(boolean yes, Decidable what) {
        String named = what.named();
        return (yes ? "y:" : "n:") + what.inboxId() + (named.isEmpty() ? "" : ":" + named);
    }

    /** The code that it says, if it says one. */
    Optional<String> code() {
        var said = CODE.matcher(text == null ? "" : text);
        return said.matches() ? Optional.of(said.group(1)) : Optional.empty();
    }
}
