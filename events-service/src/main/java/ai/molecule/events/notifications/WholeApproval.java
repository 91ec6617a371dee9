package ai.molecule.events.notifications;

import ai.molecule.common.json.Json;
import ai.molecule.common.text.VisibleText;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** All that an approval asks for, in a message: what somebody decides on without opening the inbox, they have read whole. */
final class WholeApproval {

    /** Instead of what is longer: half of it would say what the agent chose. */
    static final String TOO_LONG = "This is too long for a message. Read and decide it in the inbox.";

    /** In UTF-8, so that it has room in a message of Telegram (4,096 characters) and of ntfy (4,096 bytes), with a title and a link. */
    private static final int MAX_BYTES = 3_200;

    /** As {@code inbox} cuts them. */
    private static final int CUT_AT_CHARS = 2_000;

    private WholeApproval() {}

    /** @param details of the inbox's row; empty where they are not all, or too many for a message */
    static Optional<String> of(JsonNode details) {
        String action = details.path("action").asText();
        String reason = details.path("reason").asText();
        var context = details.path("context");
        boolean left = details.path("context_left_out").asBoolean() || context.isNull();
        if (left || isCut(action) || isCut(reason)) {
            return Optional.empty();
        }
        String told = VisibleText.lines(action
                + (reason.isEmpty() ? "" : "\nReason: " + reason)
                + (context.isEmpty() ? "" : "\n" + seen(context)));
        return told.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES ? Optional.of(told) : Optional.empty();
    }

    private static boolean isCut(String text) {
        return text.endsWith("…") && text.length() >= CUT_AT_CHARS - 1;
    }

    /** As JSON, in which no value can pass for another's name. */
    private static String seen(JsonNode context) {
        try {
            return Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(context);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
