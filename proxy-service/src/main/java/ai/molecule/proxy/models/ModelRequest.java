package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.Provider;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.JsonScanner.Found;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.json.Span;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a caller asks a model. Its bytes stay as they are but for what {@link #sentTo} puts into them.
 *
 * @param model as the caller writes it
 * @param streams whether the answer is to come in pieces
 */
record ModelRequest(ModelOperation operation, byte[] body, Found found, String model, boolean streams) {

    private static final int MODEL = 0;
    private static final int STREAM = 1;
    private static final int STREAM_OPTIONS = 2;
    private static final int INCLUDE_USAGE = 3;
    private static final int MAX_TOKENS = 4;
    private static final int MAX_COMPLETION_TOKENS = 5;
    private static final int MAX_OUTPUT_TOKENS = 6;
    private static final int GENERATION_CONFIG = 7;
    private static final int GENERATION_MAX = 8;
    private static final Shape SHAPE = Shape.of(
            "model",
            "stream",
            "stream_options",
            "stream_options.include_usage",
            "max_tokens",
            "max_completion_tokens",
            "max_output_tokens",
            "generationConfig",
            "generationConfig.maxOutputTokens");

    /** What counts for a picture, or any other run of so many characters that no text has without a blank. */
    private static final int RUN_MIN_BYTES = 2_048;

    private static final int RUN_TOKENS = 1_600;

    /** Of common models on text and code it is three to four and a half. */
    private static final int BYTES_PER_TOKEN = 4;

    private record Change(int start, int end, String text) {}

    /**
     * @param named the model of the path, where the protocol has it there
     * @throws ApiError INVALID with what to send instead
     */
    static ModelRequest read(ModelOperation operation, byte[] body, @Nullable String named) {
        if (!JsonScanner.startsAsObject(body)) {
            throw ApiError.invalid("the request body must be a JSON object");
        }
        var found = JsonScanner.scan(body, SHAPE)
                .orElseThrow(() -> ApiError.invalid("the request body must be one JSON object in UTF-8"));
        if (named != null) {
            return new ModelRequest(operation, body, found, named, operation == ModelOperation.STREAM_GENERATE);
        }
        var model = found.at(MODEL);
        if (model == null || !model.startsWith(body, '"')) {
            throw ApiError.invalid("model is required: write it as provider:model");
        }
        var stream = found.at(STREAM);
        boolean streams = stream != null && stream.startsWith(body, 't');
        return new ModelRequest(operation, body, found, model.stringIn(body), streams);
    }

    /** What is left of it to be kept when its bytes are needed no more. */
    ModelRequest sent() {
        return new ModelRequest(operation, new byte[0], found, model, streams);
    }

    /** Whether the usage of a stream must be asked for, and so must be kept from one who did not ask. */
    boolean hidesUsage(Provider provider) {
        var asked = found.at(INCLUDE_USAGE);
        return operation == ModelOperation.CHAT
                && streams
                && provider.usageOnRequest()
                && !(asked != null && asked.startsWith(body, 't'));
    }

    /** Tokens of input, about: the same text is a fifth more or less with another model. */
    long estimatedInput() {
        long text = 0;
        long runs = 0;
        int run = 0;
        for (byte c : body) {
            boolean plain = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '+'
                    || c == '/'
                    || c == '=';
            if (plain) {
                run++;
            } else {
                text += run < RUN_MIN_BYTES ? run + 1 : 1;
                runs += run < RUN_MIN_BYTES ? 0 : 1;
                run = 0;
            }
        }
        return text / BYTES_PER_TOKEN + runs * RUN_TOKENS + 1;
    }

    /** The most tokens of output that the caller wants; null when it does not say. */
    @Nullable
    Long outputWanted() {
        return IntStream.of(MAX_TOKENS, MAX_COMPLETION_TOKENS, MAX_OUTPUT_TOKENS, GENERATION_MAX)
                .mapToObj(this::number)
                .flatMap(Stream::ofNullable)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    /**
     * As the provider gets it.
     *
     * @param model by the provider's name for it
     * @param outputMax what can be paid of the output; null for no bound
     */
    byte[] sentTo(Provider provider, String model, @Nullable Long outputMax) {
        List<Change> changes = new ArrayList<>();
        var named = found.at(MODEL);
        if (operation.protocol() != ModelProtocol.GOOGLE && named != null && !model.equals(this.model)) {
            changes.add(new Change(named.start(), named.end(), Json.text(model)));
        }
        if (hidesUsage(provider)) {
            changes.add(usageAsked());
        }
        if (outputMax != null) {
            changes.addAll(limited(provider, outputMax));
        }
        return changes.isEmpty() ? body : changed(changes);
    }

    private Change usageAsked() {
        var asked = found.at(INCLUDE_USAGE);
        var options = found.at(STREAM_OPTIONS);
        if (asked != null) {
            return new Change(asked.start(), asked.end(), "true");
        }
        if (options == null) {
            return first(0, "\"stream_options\":{\"include_usage\":true}");
        }
        return options.startsWith(body, '{')
                ? first(options.start(), "\"include_usage\":true")
                : new Change(options.start(), options.end(), "{\"include_usage\":true}");
    }

    private List<Change> limited(Provider provider, long outputMax) {
        var stated = IntStream.of(MAX_TOKENS, MAX_COMPLETION_TOKENS, MAX_OUTPUT_TOKENS, GENERATION_MAX)
                .filter(slot -> number(slot) != null)
                .mapToObj(found::at)
                .flatMap(Stream::ofNullable)
                .toList();
        if (!stated.isEmpty()) {
            return stated.stream()
                    .filter(span -> Long.parseLong(span.in(body)) > outputMax)
                    .map(span -> new Change(span.start(), span.end(), Long.toString(outputMax)))
                    .toList();
        }
        return switch (operation) {
            case CHAT -> List.of(first(0, "\"%s\":%d".formatted(provider.outputLimit(), outputMax)));
            case MESSAGES -> List.of(first(0, "\"max_tokens\":%d".formatted(outputMax)));
            case RESPONSES -> List.of(first(0, "\"max_output_tokens\":%d".formatted(outputMax)));
            case GENERATE, STREAM_GENERATE -> {
                var config = found.at(GENERATION_CONFIG);
                yield List.of(
                        config != null && config.startsWith(body, '{')
                                ? first(config.start(), "\"maxOutputTokens\":%d".formatted(outputMax))
                                : first(0, "\"generationConfig\":{\"maxOutputTokens\":%d}".formatted(outputMax)));
            }
            case EMBEDDINGS, COUNT_MESSAGE_TOKENS, COUNT_TOKENS -> List.of();
        };
    }

    /** Puts a member in front of an object's own; the object begins at the first brace from {@code start} on. */
    private Change first(int start, String member) {
        int brace = start;
        while (body[brace] != '{') {
            brace++;
        }
        int next = brace + 1;
        while (body[next] == ' ' || body[next] == '\n' || body[next] == '\r' || body[next] == '\t') {
            next++;
        }
        return new Change(brace + 1, brace + 1, body[next] == '}' ? member : member + ",");
    }

    private byte[] changed(List<Change> changes) {
        var out = new ByteArrayOutputStream(body.length + 128);
        int from = 0;
        for (var change : changes.stream()
                .sorted(Comparator.comparingInt(Change::start).thenComparingInt(Change::end))
                .toList()) {
            out.write(body, from, change.start - from);
            out.writeBytes(change.text.getBytes(StandardCharsets.UTF_8));
            from = change.end;
        }
        out.write(body, from, body.length - from);
        return out.toByteArray();
    }

    /** Of a member that is a plain whole number; anything else is the provider's to refuse. */
    private @Nullable Long number(int slot) {
        Span span = found.at(slot);
        String text = span == null || span.end() - span.start() > 15 ? "" : span.in(body);
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9') ? Long.valueOf(text) : null;
    }
}
