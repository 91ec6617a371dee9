package ai.molecule.proxy.work;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.proxy.models.DollarLimit;
import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a person asks for.
 *
 * @param to the agent that is asked
 * @param limit in US dollars; null for none, or for the organization's
 * @param limitSaid whether somebody said the limit, or that there is none; else the organization's holds
 * @param due null when nothing was said
 * @param tools that may be used for it; null for every one there is
 * @param context the conversation that it begins or belongs to
 * @param reads what the agent reads; null for title and brief
 */
public record NewWork(
        UUID id,
        UUID to,
        String title,
        String brief,
        @Nullable BigDecimal limit,
        boolean limitSaid,
        @Nullable Instant due,
        @Nullable List<String> tools,
        String context,
        @Nullable String reads) {

    static final String COMPLAINT = "invalid work";

    static final int TITLE_MAX_CHARS = 200;
    static final int BRIEF_MAX_BYTES = 64 * 1024;
    private static final int TOOLS_MAX = 32;
    private static final Pattern TOOL = Pattern.compile("[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,64}");

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
        return new NewWork(
                id,
                to,
                title,
                brief,
                DollarLimit.of(body),
                body.has(DollarLimit.FIELD),
                due(body),
                tools(body),
                id.toString(),
                null);
    }

    /** What came from elsewhere: too long a title or brief is cut; without a limit the organization's holds. */
    public static NewWork told(UUID id, UUID to, String title, String brief, @Nullable BigDecimal limit) {
        return told(id, to, title, brief, limit, id.toString());
    }

    /** The same in a conversation that goes on. */
    static NewWork told(UUID id, UUID to, String title, String brief, @Nullable BigDecimal limit, String context) {
        String line = title.replaceAll("\\p{Cntrl}+", " ").strip();
        return new NewWork(
                id,
                to,
                line.isEmpty() ? "From elsewhere" : cut(line, TITLE_MAX_CHARS),
                cut(brief, BRIEF_MAX_BYTES / 4),
                limit,
                limit != null,
                null,
                null,
                context,
                null);
    }

    /** The same, of which the agent reads this. */
    public NewWork reading(String words) {
        return new NewWork(id, to, title, brief, limit, limitSaid, due, tools, context, words);
    }

    /** Never through the middle of a character. */
    private static String cut(String text, int maxChars) {
        if (text.length() <= maxChars) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(maxChars - 2)) ? maxChars - 2 : maxChars - 1;
        return text.substring(0, end) + "…";
    }

    /** What the agent reads. */
    String words() {
        return reads != null ? reads : brief.isBlank() ? title : title + "\n\n" + brief;
    }

    private static @Nullable List<String> tools(JsonBody body) {
        if (!body.has("tools")) {
            return null;
        }
        var sent = body.requiredNode("tools");
        var tools = sent.valueStream().map(JsonNode::asText).toList();
        if (!sent.isArray()
                || tools.size() > TOOLS_MAX
                || !tools.stream().allMatch(tool -> TOOL.matcher(tool).matches())) {
            throw ApiError.invalid(
                    "tools must be at most %d names of tools of at most 64 characters".formatted(TOOLS_MAX));
        }
        return tools;
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
