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
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
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
    private static final int N = 7;
    private static final int BEST_OF = 8;

    /** Google's protocol takes names with underscores too. */
    private static final int[] CONFIGS = {9, 10};

    private static final int[] CONFIG_LIMITS = {11, 12, 13, 14};
    private static final int[] CONFIG_ANSWERS = {15, 16, 17, 18};
    private static final int[] NONE = {};
    private static final String COMPLETION_LIMIT = "max_completion_tokens";
    private static final Shape SHAPE = Shape.of(
            "model",
            "stream",
            "stream_options",
            "stream_options.include_usage",
            "max_tokens",
            COMPLETION_LIMIT,
            "max_output_tokens",
            "n",
            "best_of",
            "generationConfig",
            "generation_config",
            "generationConfig.maxOutputTokens",
            "generationConfig.max_output_tokens",
            "generation_config.maxOutputTokens",
            "generation_config.max_output_tokens",
            "generationConfig.candidateCount",
            "generationConfig.candidate_count",
            "generation_config.candidateCount",
            "generation_config.candidate_count");

    /** Common providers give 8 or 128 at most. */
    private static final int ANSWERS_MAX = 1_024;

    private static final BigDecimal STATED_MAX = BigDecimal.valueOf(Integer.MAX_VALUE);

    /** Of common models on text and code it is three to four and a half. */
    private static final int BYTES_PER_TOKEN = 4;

    private record Change(int start, int end, String text) {}

    /**
     * @param named the model of the path, where the protocol has it there
     * @param events whether a stream of Google's protocol is asked for as events: else it is a list, which nobody stops on its way
     * @throws ApiError INVALID with what to send instead
     */
    static ModelRequest read(ModelOperation operation, byte[] body, @Nullable String named, boolean events) {
        if (!JsonScanner.startsAsObject(body)) {
            throw ApiError.invalid("the request body must be a JSON object");
        }
        var found = JsonScanner.scan(body, SHAPE)
                .orElseThrow(() -> ApiError.invalid("the request body must be one JSON object in UTF-8"));
        if (named != null) {
            return new ModelRequest(
                    operation, body, found, named, operation == ModelOperation.STREAM_GENERATE && events);
        }
        var model = found.at(MODEL);
        if (model == null || !model.startsWith(body, '"')) {
            throw ApiError.invalid("model is required: write it as provider:model");
        }
        var stream = found.at(STREAM);
        boolean streams = stream != null && stream.startsWith(body, 't');
        return new ModelRequest(operation, body, found, model.stringIn(body), streams);
    }

    /**
     * As it may leave under a budget: of responses without the tools that the provider runs and bills, where others are left and none is
     * forced. Programs such as codex name a search in each request, whether anybody wants one or not.
     */
    ModelRequest payable() {
        if (operation != ModelOperation.RESPONSES) {
            return this;
        }
        var contents = RequestContents.of(operation.protocol(), body);
        var tools = contents.tools();
        var kept = tools.stream().filter(tool -> !tool.billed()).toList();
        if (kept.size() == tools.size() || kept.isEmpty() || contents.toolForced()) {
            return this;
        }
        String text = new String(body, StandardCharsets.UTF_8);
        String rest = kept.stream()
                .map(tool -> text.substring(tool.start(), tool.end()))
                .collect(Collectors.joining(
                        ",", text.substring(0, tools.getFirst().start()), ""));
        byte[] without = (rest + text.substring(tools.getLast().end())).getBytes(StandardCharsets.UTF_8);
        return read(operation, without, null, false);
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
        long commas = 0;
        for (byte c : body) {
            commas += c == ',' ? 1 : 0;
            boolean plain = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '+'
                    || c == '/'
                    || c == '=';
            if (plain) {
                run++;
            } else {
                text += run < RequestContents.RUN_MIN_BYTES ? run + 1 : 1;
                runs += run < RequestContents.RUN_MIN_BYTES ? 0 : run;
                run = 0;
            }
        }
        long tokens = (text + runs) / BYTES_PER_TOKEN + 1 + (runs == 0 ? 0 : imagesIn(runs));
        return operation == ModelOperation.EMBEDDINGS
                ? Math.max(tokens, commas)
                : tokens; // lists of tokens, as numbers
    }

    /** What images count more or less than as many bytes of text. */
    private long imagesIn(long runs) {
        var contents = RequestContents.of(operation.protocol(), body);
        return (long) contents.images() * ModelDemand.IMAGE_TOKENS
                - Math.min(contents.imageBytes(), runs) / BYTES_PER_TOKEN;
    }

    /** The most tokens of output that the caller wants of each answer; null when it does not say. */
    @Nullable
    Long outputWanted() {
        return IntStream.of(limits())
                .mapToObj(this::stated)
                .flatMap(Stream::ofNullable)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    /** How many answers are asked for. */
    int answers() {
        return IntStream.of(answerCounts())
                .mapToObj(this::number)
                .flatMap(Stream::ofNullable)
                .mapToInt(count -> (int) Math.min(count, ANSWERS_MAX))
                .reduce(1, Math::max);
    }

    /** What is wrong with the numbers that bound what it costs; null when they do. */
    @Nullable
    String uncounted() {
        for (int slot : limits()) {
            var said = found.at(slot);
            if (said != null && stated(slot) == null && !isNumberOrNull(said)) {
                return "the limit of output must be a whole number";
            }
        }
        for (int slot : answerCounts()) {
            var said = found.at(slot);
            Long count = number(slot);
            if (said != null && !said.startsWith(body, 'n') && (count == null || count < 1 || count > ANSWERS_MAX)) {
                return "the number of answers must be a whole number from 1 to " + ANSWERS_MAX;
            }
        }
        return null;
    }

    /** The members by which its own protocol limits the output: any other is none, though some provider may know it. */
    private int[] limits() {
        return switch (operation) {
            case CHAT -> new int[] {MAX_TOKENS, MAX_COMPLETION_TOKENS};
            case MESSAGES -> new int[] {MAX_TOKENS};
            case RESPONSES -> new int[] {MAX_OUTPUT_TOKENS};
            case GENERATE, STREAM_GENERATE -> CONFIG_LIMITS;
            case EMBEDDINGS, COUNT_MESSAGE_TOKENS, COUNT_TOKENS -> NONE;
        };
    }

    private int[] answerCounts() {
        return switch (operation) {
            case CHAT -> new int[] {N, BEST_OF};
            case GENERATE, STREAM_GENERATE -> CONFIG_ANSWERS;
            case RESPONSES, EMBEDDINGS, MESSAGES, COUNT_MESSAGE_TOKENS, COUNT_TOKENS -> NONE;
        };
    }

    /**
     * As the provider gets it.
     *
     * @param model by the provider's name for it
     * @param outputMax what can be paid of each answer's output; null for no bound
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

    /** Each limit there is, and the one that the provider knows: another it may pass by. */
    private List<Change> limited(Provider provider, long outputMax) {
        List<Change> changes = new ArrayList<>();
        for (int slot : limits()) {
            var said = found.at(slot);
            Long plain = number(slot);
            if (said != null && (plain == null || plain < 1 || plain > outputMax)) {
                Long wanted = stated(slot);
                long most = wanted == null ? outputMax : Math.min(wanted, outputMax);
                changes.add(new Change(said.start(), said.end(), Long.toString(most)));
            }
        }
        boolean none = IntStream.of(limits()).allMatch(slot -> found.at(slot) == null);
        switch (operation) {
            case CHAT -> {
                boolean completion = provider.outputLimit().equals(COMPLETION_LIMIT);
                var other = found.at(completion ? MAX_TOKENS : MAX_COMPLETION_TOKENS);
                if (none) {
                    changes.add(first(0, "\"%s\":%d".formatted(provider.outputLimit(), outputMax)));
                } else if (other != null && found.at(completion ? MAX_COMPLETION_TOKENS : MAX_TOKENS) == null) {
                    changes.add(named(other, provider.outputLimit())); // some refuse both together
                }
            }
            case MESSAGES -> changes.addAll(unless(!none, "max_tokens", outputMax));
            case RESPONSES -> changes.addAll(unless(!none, "max_output_tokens", outputMax));
            case GENERATE, STREAM_GENERATE -> {
                if (none) {
                    changes.add(configured(outputMax));
                }
            }
            case EMBEDDINGS, COUNT_MESSAGE_TOKENS, COUNT_TOKENS -> {}
        }
        return changes;
    }

    private List<Change> unless(boolean there, String member, long outputMax) {
        return there ? List.of() : List.of(first(0, "\"%s\":%d".formatted(member, outputMax)));
    }

    private Change configured(long outputMax) {
        for (int slot : CONFIGS) {
            var config = found.at(slot);
            if (config != null) {
                return config.startsWith(body, '{')
                        ? first(config.start(), "\"maxOutputTokens\":%d".formatted(outputMax))
                        : new Change(config.start(), config.end(), "{\"maxOutputTokens\":%d}".formatted(outputMax));
            }
        }
        return first(0, "\"generationConfig\":{\"maxOutputTokens\":%d}".formatted(outputMax));
    }

    /** Another name for the member that has this value. */
    private Change named(Span value, String name) {
        int end = value.start() - 1;
        while (body[end] != '"') {
            end--;
        }
        int start = end - 1;
        while (body[start] != '"') {
            start--;
        }
        return new Change(start, end + 1, Json.text(name));
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

    /** Of a member that is a plain whole number. */
    private @Nullable Long number(int slot) {
        Span span = found.at(slot);
        String text = span == null || span.end() - span.start() > 15 ? "" : span.in(body);
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9') ? Long.valueOf(text) : null;
    }

    /** What a member says that is any number, as 8e3, without its fraction; null for none, and for less than one, which some take for no limit. */
    private @Nullable Long stated(int slot) {
        Span span = found.at(slot);
        if (span == null || !isNumberOrNull(span) || span.startsWith(body, 'n')) {
            return null;
        }
        var number = new BigDecimal(span.in(body));
        boolean limit = number.compareTo(BigDecimal.ONE) >= 0;
        return limit ? Long.valueOf(number.min(STATED_MAX).longValue()) : null;
    }

    private boolean isNumberOrNull(Span span) {
        byte c = body[span.start()];
        return c == '-' || c == 'n' || (c >= '0' && c <= '9');
    }
}
