package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelProtocol;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What of a request its provider bills otherwise than as the text that stands there: images, thoughts, and whatever costs something that
 * neither the request nor a price of tokens tells. It is read as the protocol reads it: an image counts as one only where the protocol has
 * images.
 */
final class RequestContents {

    /** A longer string is an image's, where it stands in the place of one. */
    static final int RUN_MIN_BYTES = 2_048;

    private static final int NAME_MAX_CHARS = 40;

    /** What the request says of thinking. */
    enum Thinking {
        UNSAID,
        OFF,
        ON
    }

    /** Where what the model reads stands, by names without underscores in lower case; what is elsewhere is text at most. */
    private static final Map<ModelProtocol, Set<String>> PLACES = Map.of(
            ModelProtocol.OPENAI,
                    Set.of(
                            "messages",
                            "content",
                            "imageurl",
                            "file",
                            "inputaudio",
                            "input",
                            "output",
                            "extrabody",
                            "google"),
            ModelProtocol.ANTHROPIC, Set.of("messages", "system", "content", "source"),
            ModelProtocol.GOOGLE,
                    Set.of("contents", "systeminstruction", "parts", "inlinedata", "filedata", "functionresponse"));

    /** Members on which the bound of a call rests: one that is there twice, or in a spelling that only some read, is none to rely on. */
    private static final Map<ModelProtocol, Set<String>> MONEY = Map.of(
            ModelProtocol.OPENAI,
                    Set.of(
                            "model",
                            "stream",
                            "n",
                            "best_of",
                            "max_tokens",
                            "max_completion_tokens",
                            "max_output_tokens"),
            ModelProtocol.ANTHROPIC, Set.of("model", "stream", "max_tokens", "thinking"),
            ModelProtocol.GOOGLE,
                    Set.of(
                            "generationConfig",
                            "generation_config",
                            "maxOutputTokens",
                            "max_output_tokens",
                            "candidateCount",
                            "candidate_count",
                            "thinkingConfig",
                            "thinking_config"));

    private static final String ELSEWHERE = "the provider adds input that is not in the request";
    private static final String UNPRICED = "its price is not known";
    private static final String CACHED_CONTENT = ELSEWHERE + ": send it as contents";

    /** Members of the request that cost what cannot be told beforehand, and why. */
    private static final Map<String, String> UNBOUNDED = Map.ofEntries(
            Map.entry("background", "nobody sees its answer"),
            Map.entry("previousresponseid", ELSEWHERE + ": send the whole conversation as input"),
            Map.entry("conversation", ELSEWHERE + ": send the whole conversation as input"),
            Map.entry("prompt", ELSEWHERE + ": send its text"),
            Map.entry("cachedcontent", CACHED_CONTENT),
            Map.entry("container", "the provider runs and bills it"),
            Map.entry("mcpservers", "the provider runs and bills their tools"),
            Map.entry("websearchoptions", "the provider runs and bills the search"),
            Map.entry("searchparameters", "the provider runs and bills the search"),
            Map.entry("enablesearch", "the provider runs and bills the search"),
            Map.entry("plugins", "the provider runs and bills them"),
            Map.entry("models", "they may have other prices: use an alias"),
            Map.entry("audio", UNPRICED),
            Map.entry("prediction", "what of it is rejected is billed too"));

    /** Values of members that leave the price as it is in the table, or lower it. */
    private static final Map<String, Set<String>> PRICED = Map.of(
            "servicetier", Set.of("auto", "default", "flex", "standard", "standard_only", "on_demand"),
            "speed", Set.of("standard"),
            "inferencegeo", Set.of("global", "not_available"));

    private static final Set<String> MODALITIES = Set.of("modalities", "responsemodalities");

    /** Tools that the caller runs, or that cost nothing but their tokens. */
    private static final Set<String> TOOLS = Set.of(
            "function",
            "custom",
            "local_shell",
            "apply_patch",
            "computer",
            "computer_use_preview",
            "namespace",
            "tool_search");

    private static final List<String> ANTHROPIC_TOOLS =
            List.of("bash_", "text_editor_", "computer_", "memory_", "tool_search_tool_");
    private static final Set<String> GOOGLE_TOOLS = Set.of("functiondeclarations", "computeruse");
    private static final Set<String> IMAGES = Set.of("image", "input_image", "image_url");

    /**
     * One of those that the request names.
     *
     * @param start where it begins in the text of the request, in characters
     * @param end behind it
     * @param billed whether the provider runs and bills it
     */
    record Tool(int start, int end, boolean billed) {}

    /** One object, or the objects of one array. */
    private static final class Frame {
        private final @Nullable Frame above;
        private final String name;
        private final boolean read;
        private final boolean tool;
        private final boolean config;
        private @Nullable String type;
        private @Nullable String mime;
        private @Nullable String effort;
        private long data;
        private boolean refers;
        private boolean billed;

        private Frame(@Nullable Frame above, String name, boolean read, boolean tool, boolean config) {
            this.config = config;
            this.above = above;
            this.name = name;
            this.read = read;
            this.tool = tool;
        }

        private boolean isTop() {
            return above == null;
        }

        private boolean thinks() {
            return above != null
                    && ((above.isTop() && (name.equals("thinking") || name.equals("reasoning")))
                            || ((above.config || above.name.equals("google")) && name.equals("thinkingconfig")));
        }
    }

    private final ModelProtocol protocol;
    private final JsonParser parser;
    private final Set<String> seen = new HashSet<>();
    private final List<Tool> tools = new ArrayList<>();
    private boolean toolForced;
    private int images;
    private int referredImages;
    private long imageBytes;
    private Thinking thinking = Thinking.UNSAID;
    private @Nullable Long thinkingTokens;
    private @Nullable String unbounded;

    private RequestContents(ModelProtocol protocol, JsonParser parser) {
        this.protocol = protocol;
        this.parser = parser;
    }

    /** Of a body that is known to be one JSON object. */
    static RequestContents of(ModelProtocol protocol, byte[] body) {
        try (var parser = Json.MAPPER.getFactory().createParser(body)) {
            var contents = new RequestContents(protocol, parser);
            parser.nextToken();
            contents.object(new Frame(null, "", true, false, false));
            return contents;
        } catch (IOException unreadable) {
            throw ApiError.invalid("the request body must be one JSON object in UTF-8");
        }
    }

    /** Images whose bytes are in the request. */
    int images() {
        return images;
    }

    /** Of long strings that are images. */
    long imageBytes() {
        return imageBytes;
    }

    /** Images that the provider fetches, or has. */
    int referredImages() {
        return referredImages;
    }

    Thinking thinking() {
        return thinking;
    }

    /** How many tokens it may think at most; null where the request does not say. */
    @Nullable
    Long thinkingTokens() {
        return thinkingTokens;
    }

    /** Those the request names, in their order. */
    List<Tool> tools() {
        return List.copyOf(tools);
    }

    /** Whether the request wants a tool to be used. */
    boolean toolForced() {
        return toolForced;
    }

    /** The first thing that costs what nobody can tell before, with the reason; null when there is none. */
    @Nullable
    String unbounded() {
        return unbounded;
    }

    private void object(Frame frame) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            String plain = plain(name);
            var token = parser.nextToken();
            if (frame.isTop() || frame.config) {
                once(name, plain);
            }
            if (frame.isTop()) {
                top(name, plain, token);
            }
            if (frame.tool && protocol == ModelProtocol.GOOGLE && !GOOGLE_TOOLS.contains(plain) && says(token)) {
                refuse("tool " + name, "the provider runs and bills it");
            }
            value(frame, plain, token);
        }
        ends(frame);
    }

    private void value(Frame frame, String plain, JsonToken token) throws IOException {
        if (token == JsonToken.START_OBJECT) {
            var inner = inner(frame, plain);
            if (inner == null) {
                toolForced |= frame.isTop() && plain.equals("toolchoice");
                parser.skipChildren();
            } else {
                int start = (int) parser.currentTokenLocation().getCharOffset();
                object(inner);
                if (inner.tool && frame.isTop()) {
                    tools.add(new Tool(start, (int) parser.currentLocation().getCharOffset(), inner.billed));
                }
            }
        } else if (token == JsonToken.START_ARRAY) {
            array(frame, plain);
        } else if (token.isScalarValue()) {
            scalar(frame, plain, token);
        }
    }

    private void array(Frame frame, String plain) throws IOException {
        boolean modalities = (frame.isTop() || frame.config) && MODALITIES.contains(plain);
        String refused = frame.isTop() ? UNBOUNDED.get(plain) : null;
        for (var token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            if (modalities
                    && (token != JsonToken.VALUE_STRING || !parser.getText().equalsIgnoreCase("text"))) {
                refuse("an answer other than text", UNPRICED);
            }
            if (refused != null) {
                refuse(plain, refused);
            }
            if (token == JsonToken.START_ARRAY) {
                array(frame, plain);
            } else if (token == JsonToken.START_OBJECT) {
                value(frame, plain, token);
            }
        }
    }

    /** Null for what tells nothing here. */
    private @Nullable Frame inner(Frame frame, String plain) {
        boolean read = frame.read && PLACES.getOrDefault(protocol, Set.of()).contains(plain);
        boolean tool = plain.equals("tools") && (frame.isTop() || frame.tool);
        boolean config = protocol == ModelProtocol.GOOGLE && frame.isTop() && plain.equals("generationconfig");
        var inner = new Frame(frame, plain, read, tool, config);
        return read || tool || inner.config || inner.thinks() ? inner : null;
    }

    private void once(String name, String plain) {
        var money = MONEY.getOrDefault(protocol, Set.of());
        if (!money.contains(name)) {
            money.stream()
                    .filter(known -> plain(known).equals(plain))
                    .findFirst()
                    .ifPresent(known -> {
                        if (unbounded == null) {
                            unbounded = "write %s for %s".formatted(known, name);
                        }
                    });
        } else if (!seen.add(plain) && unbounded == null) {
            unbounded = name + " is there twice: say it once";
        }
    }

    private void top(String name, String plain, JsonToken token) throws IOException {
        String why = UNBOUNDED.get(plain);
        if (why != null && token != JsonToken.START_ARRAY && says(token)) {
            refuse(name, why);
        }
        var priced = PRICED.get(plain);
        if (priced != null && says(token)) {
            String said = token == JsonToken.VALUE_STRING ? parser.getText() : "";
            if (!priced.contains(said.toLowerCase(Locale.ROOT))) {
                refuse("%s %s".formatted(name, shortened(said)), UNPRICED);
            }
        }
        if (plain.equals("toolchoice") && token == JsonToken.VALUE_STRING) {
            toolForced |= parser.getText().equals("required");
        }
        if (plain.equals("reasoningeffort") && token == JsonToken.VALUE_STRING) {
            thinks(parser.getText().equals("none") ? Thinking.OFF : Thinking.ON, null);
        }
    }

    private void scalar(Frame frame, String plain, JsonToken token) throws IOException {
        boolean text = token == JsonToken.VALUE_STRING;
        switch (plain) {
            case "type" -> frame.type = text ? parser.getText() : null;
            case "mediatype", "mimetype" -> frame.mime = text ? parser.getText() : null;
            case "data" -> frame.data = text ? parser.getTextLength() : 0;
            case "fileid", "fileurl", "fileuri" -> frame.refers |= text;
            case "effort", "thinkinglevel" -> frame.effort = text ? parser.getText() : frame.effort;
            case "budgettokens", "thinkingbudget" -> {
                if (frame.thinks() && token == JsonToken.VALUE_NUMBER_INT) {
                    frame.effort = parser.getText();
                    thinkingTokens = tokens(parser.getText());
                }
            }
            case "cachedcontent" -> {
                if (text && !frame.isTop() && frame.name.equals("google")) {
                    refuse("cached_content", CACHED_CONTENT); // of Google's own in the protocol of OpenAI
                }
            }
            case "url", "imageurl" -> {
                boolean source = frame.name.equals("source");
                frame.refers |= source && text;
                if (text && !source && frame.read && (plain.equals("imageurl") || frame.name.equals("imageurl"))) {
                    imageAt();
                }
            }
            default -> {}
        }
    }

    private void imageAt() throws IOException {
        String url = parser.getText();
        if (url.regionMatches(true, 0, "data:", 0, 5)) {
            image(url.regionMatches(true, 0, "data:image/", 0, 11) ? url.length() : 0);
        } else {
            referredImages++;
        }
    }

    private void image(long length) {
        if (length >= RUN_MIN_BYTES) {
            images++;
            imageBytes += length;
        }
    }

    private void ends(Frame frame) {
        if (frame.thinks()) {
            boolean off = "disabled".equals(frame.type) || "none".equals(frame.effort) || "0".equals(frame.effort);
            thinks(off ? Thinking.OFF : Thinking.ON, off ? null : thinkingTokens);
        } else if (frame.tool) {
            tool(frame);
        } else if (frame.read) {
            content(frame);
        }
    }

    private void content(Frame frame) {
        String mime = frame.mime == null ? "" : frame.mime.toLowerCase(Locale.ROOT);
        String type = frame.type == null ? "" : frame.type;
        if (frame.data > 0 && mime.startsWith("image/")) {
            image(frame.data);
        }
        if ((frame.data > 0 && mime.startsWith("audio/")) || type.equals("input_audio") || type.equals("audio")) {
            refuse("sound", UNPRICED);
        }
        if (type.equals("video_url") || type.equals("item_reference")) {
            refuse(type, ELSEWHERE);
        }
        var above = frame.above;
        if (frame.refers
                && above != null
                && Set.of("source", "file", "imageurl").contains(frame.name)) {
            above.refers = true;
        } else if (frame.refers && IMAGES.contains(type)) {
            referredImages++;
        } else if (frame.refers) {
            refuse("a file that is not in the request", ELSEWHERE + ": send what it holds");
        }
    }

    private void tool(Frame frame) {
        String type = frame.type;
        boolean runs = type == null
                || protocol == ModelProtocol.GOOGLE
                || TOOLS.contains(type)
                || (protocol == ModelProtocol.ANTHROPIC
                        && ANTHROPIC_TOOLS.stream().anyMatch(type::startsWith));
        frame.billed |= !runs;
        if (frame.billed && frame.above != null && frame.above.tool) {
            frame.above.billed = true;
        }
        if (!runs) {
            refuse("tool " + shortened(String.valueOf(type)), "the provider runs and bills it");
        }
    }

    private void thinks(Thinking said, @Nullable Long tokens) {
        thinking = thinking == Thinking.ON ? Thinking.ON : said;
        thinkingTokens = tokens;
    }

    private void refuse(String what, String why) {
        if (unbounded == null) {
            unbounded = "%s cannot be paid from a budget, because %s".formatted(what, why);
        }
    }

    private static boolean says(JsonToken token) {
        return token != JsonToken.VALUE_NULL && token != JsonToken.VALUE_FALSE;
    }

    private static @Nullable Long tokens(String number) {
        return number.startsWith("-") || number.length() > 9 ? null : Long.valueOf(number);
    }

    private static String shortened(String text) {
        return text.length() <= NAME_MAX_CHARS ? text : text.substring(0, NAME_MAX_CHARS) + "…";
    }

    /** As the most lenient reader would match it: some take a name in any case, Google's takes it with underscores and without. */
    private static String plain(String name) {
        return name.length() > NAME_MAX_CHARS
                ? ""
                : name.replace("_", "").toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    }
}
