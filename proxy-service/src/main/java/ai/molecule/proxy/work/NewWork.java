package ai.molecule.proxy.work;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.proxy.models.DollarLimit;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a person asks for.
 *
 * @param to the agent that is asked
 * @param limit in US dollars; null for none
 * @param due null when nothing was said
 */
record NewWork(
        UUID id,
        UUID to,
        String title,
        String brief,
        @Nullable BigDecimal limit,
        @Nullable Instant due) {

    static final String COMPLAINT = "invalid work";

    static final int TITLE_MAX_CHARS = 200;
    static final int BRIEF_MAX_BYTES = 64 * 1024;

    static NewWork of(JsonBody body, UUID id) {
        String title = body.requiredText("title").strip();
        if (title.isEmpty() || title.codePointCount(0, title.length()) > TITLE_MAX_CHARS) {
            throw ApiError.invalid("title must be 1 to %d characters".formatted(TITLE_MAX_CHARS));
        }
        String brief = body.text("brief", "");
        if (brief.getBytes(StandardCharsets.UTF_8).length > BRIEF_MAX_BYTES) {
            throw ApiError.invalid("brief must be at most 64 KiB");
        }
        var to = Ids.find(body.requiredText("to"))
                .orElseThrow(() -> ApiError.invalid("to must be the id of a workspace"));
        return new NewWork(id, to, title, brief, DollarLimit.of(body), due(body));
    }

    /** What the agent reads. */
    String words() {
        return brief.isBlank() ? title : title + "\n\n" + brief;
    }

    private static @Nullable Instant due(JsonBody body) {
        String sent = body.text("due");
        try {
            return sent == null ? null : Instant.parse(sent);
        } catch (DateTimeParseException noTime) {
            throw ApiError.invalid("due must be a time (RFC 3339)");
        }
    }
}
