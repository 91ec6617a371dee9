package ai.molecule.runtime.langchain4j;

import dev.langchain4j.exception.HttpException;
import dev.langchain4j.exception.TimeoutException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The kind of a call that failed, which is all its sender learns: what endpoints say of failures may carry keys and prompts. */
enum ModelTrouble {
    RATE_LIMITED,
    AUTH_FAILED,
    MODEL_NOT_FOUND,
    REQUEST_REFUSED,
    /** The platform's door: there is no more money for it. */
    BUDGET_EXCEEDED,
    MODEL_UNAVAILABLE,
    TIMEOUT,
    BAD_ANSWER,
    TOO_MANY_TOOL_CALLS,
    TOO_MANY_TOKENS,
    /** The task reached what it may cost or take, and nobody is there to ask. */
    LIMIT_REACHED,
    /** A task may cost so much, and nobody says what its model costs. */
    NO_PRICE,
    NO_PROGRESS;

    private static final int CAUSES_MAX = 10;

    /** "does not support tools", "tool choice requires --enable-auto-tool-choice", "function calling is not enabled". */
    private static final Pattern TOOLS = Pattern.compile("(?i)\\b(tools?|functions?)\\b|tool_choice|function_call");

    private static final Pattern QUOTED_NAME = Pattern.compile("['\"`]([A-Za-z0-9_-]{1,64})\\\\?['\"`]");
    private static final Pattern NUMBERED_TOOL = Pattern.compile("\\btools[.\\[](\\d{1,4})\\b");

    /** "maximum context length exceeded", "prompt is too long", "input length and max_tokens exceed context limit". */
    private static final Pattern LENGTH =
            Pattern.compile("(?i)context.{0,20}(length|limit|window)|too long|too many tokens");

    /** "image input is not supported", "image_url is only supported by certain models", "not a multimodal model". */
    private static final Pattern PICTURES = Pattern.compile("(?i)image|multimodal|vision|content type");

    /** The platform's door, of work that may cost so much: it lets no call through that nobody could count. */
    private static final Pattern WITHOUT_PRICE = Pattern.compile("\"code\":\\s*\"no_price\"");

    static ModelTrouble of(Throwable failure) {
        @Nullable Throwable cause = failure;
        for (int i = 0; cause != null && i < CAUSES_MAX; i++, cause = cause.getCause()) {
            if (cause instanceof HttpException refused) {
                return refused.statusCode() == 403 && says(refused, WITHOUT_PRICE)
                        ? NO_PRICE
                        : of(refused.statusCode());
            }
            if (cause instanceof HttpTimeoutException || cause instanceof TimeoutException) {
                return TIMEOUT;
            }
            if (cause instanceof ConnectException) {
                return MODEL_UNAVAILABLE;
            }
        }
        return BAD_ANSWER;
    }

    /** Whether an endpoint that refused a request speaks of the tools in it. */
    static boolean namesTools(Throwable failure) {
        return says(failure, TOOLS);
    }

    /**
     * Which tool an endpoint that refused a request blames: "Invalid schema for function 'box__odd'", "tools.3.custom.input_schema: JSON schema is
     * invalid", "Invalid 'tools[3].function.parameters'".
     *
     * @param names of the tools in the request, in its order
     */
    static Optional<String> blamedTool(Throwable failure, List<String> names) {
        @Nullable Throwable cause = failure;
        for (int i = 0; cause != null && i < CAUSES_MAX; i++, cause = cause.getCause()) {
            if (cause instanceof HttpException refused) {
                String words = String.valueOf(refused.getMessage());
                Optional<String> named = QUOTED_NAME
                        .matcher(words)
                        .results()
                        .map(found -> found.group(1))
                        .filter(names::contains)
                        .findFirst();
                return named.or(() -> NUMBERED_TOOL
                        .matcher(words)
                        .results()
                        .map(found -> Integer.parseInt(found.group(1)))
                        .filter(number -> number < names.size())
                        .map(names::get)
                        .findFirst());
            }
        }
        return Optional.empty();
    }

    /** Whether an endpoint that refused a request speaks of the pictures in it. */
    static boolean namesPictures(Throwable failure) {
        return says(failure, PICTURES);
    }

    /** Whether an endpoint that refused a request speaks of its length. */
    static boolean namesLength(Throwable failure) {
        return says(failure, LENGTH);
    }

    private static boolean says(Throwable failure, Pattern words) {
        @Nullable Throwable cause = failure;
        for (int i = 0; cause != null && i < CAUSES_MAX; i++, cause = cause.getCause()) {
            if (cause instanceof HttpException refused) {
                return words.matcher(String.valueOf(refused.getMessage())).find();
            }
        }
        return false;
    }

    private static ModelTrouble of(int status) {
        return switch (status) {
            case 429 -> RATE_LIMITED;
            case 401, 403 -> AUTH_FAILED;
            case 402 -> BUDGET_EXCEEDED;
            case 404 -> MODEL_NOT_FOUND;
            case 408, 504 -> TIMEOUT;
            default -> status / 100 == 4 ? REQUEST_REFUSED : status / 100 == 5 ? MODEL_UNAVAILABLE : BAD_ANSWER;
        };
    }
}
