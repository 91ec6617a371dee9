package ai.molecule.proxy.models;

import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.ModelUsage;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Gathers what an answer says of its tokens, in pieces or at once, and counts its text for the case that it says nothing. */
final class UsageReader {

    /** Output is counted for reservations too, so rather too much than too little. */
    static final int BYTES_PER_TOKEN = 3;

    /** One of these says that tokens are told; an empty object, or one of other names, tells nothing. */
    private static final Set<String> TOLD =
            Set.of("prompt_tokens", "input_tokens", "output_tokens", "promptTokenCount", "candidatesTokenCount");

    private final ModelProtocol protocol;
    private @Nullable Long in;
    private @Nullable Long out;
    private long cacheRead;
    private long cacheWrite;
    private long cacheWriteHour;
    private long reasoning;
    private boolean complete;
    private long written;

    UsageReader(ModelProtocol protocol) {
        this.protocol = protocol;
    }

    /** One event of a stream, or one element of a stream that is a list. */
    void event(JsonNode event) {
        switch (protocol) {
            case OPENAI -> {
                usage(event.path("usage"), true);
                usage(event.path("response").path("usage"), true);
                event.path("choices").forEach(choice -> text(choice.path("delta")));
                if (event.path("delta").isTextual()) {
                    text(event.path("delta"));
                }
            }
            case ANTHROPIC -> {
                usage(event.path("message").path("usage"), false);
                usage(event.path("usage"), true);
                text(event.path("delta"));
            }
            case GOOGLE -> {
                boolean last = false;
                for (var candidate : event.path("candidates")) {
                    text(candidate.path("content"));
                    last |= candidate.hasNonNull("finishReason");
                }
                usage(event.path("usageMetadata"), last);
            }
        }
    }

    /** What whole events that say nothing of usage, as nearly all do, come to; {@link WrittenText#UNKNOWN} for those to be read as trees. */
    int tokensIn(byte[] events) {
        return protocol == ModelProtocol.GOOGLE
                ? WrittenText.UNKNOWN // who tells of it with each
                : WrittenText.tokensIn(events, BYTES_PER_TOKEN);
    }

    /** Counts what {@link #tokensIn} found. */
    void skimmed(int tokens) {
        written += tokens;
    }

    /** The usage of an answer that comes whole; {@code bytes} is how long the answer is. */
    void whole(@Nullable JsonNode usage, long bytes) {
        if (usage != null) {
            usage(usage, true);
        }
        written = Math.max(written, bytes / BYTES_PER_TOKEN);
    }

    /** Whether the answer said all of it. */
    boolean complete() {
        return complete && in != null;
    }

    /** Tokens written so far, as said or, where more, as counted. */
    long written() {
        return out == null ? written : complete ? out : Math.max(out, written);
    }

    /** @param estimatedIn for an answer that does not say */
    ModelUsage usage(long estimatedIn) {
        long read = in == null ? estimatedIn : in;
        return new ModelUsage(read, cacheRead, cacheWrite, Math.min(cacheWriteHour, cacheWrite), written(), reasoning);
    }

    private void usage(JsonNode usage, boolean last) {
        if (!usage.isObject() || !isTold(usage)) {
            return;
        }
        switch (protocol) {
            case OPENAI -> openai(usage);
            case ANTHROPIC -> anthropic(usage);
            case GOOGLE -> google(usage);
        }
        complete |= last;
    }

    private static boolean isTold(JsonNode usage) {
        for (String name : TOLD) {
            if (usage.has(name)) {
                return true;
            }
        }
        return false;
    }

    /** Chat completions and responses call the same by different names; what came from a cache, or was put into one, is counted in the input. */
    private void openai(JsonNode usage) {
        boolean responses = usage.has("input_tokens");
        long input = count(usage, responses ? "input_tokens" : "prompt_tokens");
        var details = usage.path(responses ? "input_tokens_details" : "prompt_tokens_details");
        long cached = details.has("cached_tokens")
                ? count(details, "cached_tokens")
                : count(usage, "prompt_cache_hit_tokens"); // DeepSeek's name for it
        cacheRead = Math.min(cached, input);
        cacheWrite = Math.min(count(details, "cache_write_tokens"), input - cacheRead);
        in = input - cacheRead - cacheWrite;
        out = count(usage, responses ? "output_tokens" : "completion_tokens");
        reasoning = count(
                usage.path(responses ? "output_tokens_details" : "completion_tokens_details"), "reasoning_tokens");
    }

    /** Told at the beginning and at the end; the last word counts. */
    private void anthropic(JsonNode usage) {
        if (usage.has("input_tokens")) {
            in = count(usage, "input_tokens");
        }
        if (usage.has("output_tokens")) {
            out = count(usage, "output_tokens");
        }
        if (usage.has("cache_read_input_tokens")) {
            cacheRead = count(usage, "cache_read_input_tokens");
        }
        if (usage.has("cache_creation_input_tokens")) {
            cacheWrite = count(usage, "cache_creation_input_tokens");
        }
        if (usage.has("cache_creation")) { // the last word need not say it again
            cacheWriteHour = count(usage.path("cache_creation"), "ephemeral_1h_input_tokens");
        }
    }

    /** Thoughts stand beside the output, what came from a cache within the input. */
    private void google(JsonNode usage) {
        long input = count(usage, "promptTokenCount") + count(usage, "toolUsePromptTokenCount");
        cacheRead = Math.min(count(usage, "cachedContentTokenCount"), input);
        in = input - cacheRead;
        reasoning = count(usage, "thoughtsTokenCount");
        out = count(usage, "candidatesTokenCount") + reasoning;
    }

    /** No provider counts further; what is no count is none. */
    private static long count(JsonNode usage, String name) {
        long count = usage.path(name).asLong(0);
        return Math.clamp(count, 0, 1_000_000_000L);
    }

    private void text(JsonNode piece) {
        long bytes = bytes(piece);
        if (bytes > 0) {
            written += Math.ceilDiv(bytes, BYTES_PER_TOKEN);
        }
    }

    private static long bytes(JsonNode piece) {
        if (piece.isTextual()) {
            return piece.textValue().length();
        }
        long bytes = 0;
        for (var member : piece.properties()) {
            bytes += WrittenText.NO_OUTPUT.contains(member.getKey()) ? 0 : bytes(member.getValue());
        }
        if (piece.isArray()) {
            for (var element : piece) {
                bytes += bytes(element);
            }
        }
        return bytes;
    }
}
