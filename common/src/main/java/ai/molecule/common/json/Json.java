package ai.molecule.common.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.NumericNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The one Jackson mapper and the small conversions every body goes through. */
public final class Json {

    /** Nesting deeper than this is refused: bodies come from strangers and trees are walked recursively. */
    private static final int DEPTH_MAX = 200;

    /**
     * The most digits of a number before its point, and as many behind it. PostgreSQL writes 1e5000 out in full, so a short number
     * could otherwise come back too long to be read again.
     */
    private static final int DIGITS_MAX = 1_000;

    /** Longer than any body: what was stored under a name must be readable under it. */
    private static final int NAME_MAX_CHARS = 16 * 1024 * 1024;

    public static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .maxNumberLength(2 * DIGITS_MAX + 10)
                            .maxNameLength(NAME_MAX_CHARS)
                            .build())
                    // what tells names apart costs time that grows with how many different ones strangers send
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .enable(
                            JsonWriteFeature
                                    .COMBINE_UNICODE_SURROGATES_IN_UTF8) // an emoji as itself, not as two escapes
                    .build())
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            // 1.10 stays 1.10 and 1e400 stays a number on its way through
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .build();

    private static final DateTimeFormatter WIRE_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final char REPLACEMENT = '\uFFFD';

    private Json() {}

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /**
     * Parses the first JSON value of {@code text}; fails with {@link IOException} when there is none, and for what is not UTF-8:
     * Jackson by itself would also guess UTF-16 and UTF-32, and take longer forms of a character for it.
     */
    public static JsonNode parse(byte[] text) throws IOException {
        return MAPPER.readTree(decode(text));
    }

    private static String decode(byte[] text) throws CharacterCodingException {
        int start = Arrays.mismatch(text, 0, Math.min(text.length, 3), BYTE_ORDER_MARK, 0, 3) < 0 ? 3 : 0;
        String decoded = new String(text, start, text.length - start, UTF_8);
        if (decoded.indexOf(REPLACEMENT) >= 0) { // sent as such, or instead of what is no character: the slow way tells
            UTF_8.newDecoder().decode(ByteBuffer.wrap(text, start, text.length - start));
        }
        return decoded;
    }

    /** A stored {@code jsonb} text as a tree; {@code null} becomes JSON null. */
    public static JsonNode stored(@Nullable String text) {
        try {
            return text == null ? NullNode.getInstance() : MAPPER.readTree(text);
        } catch (JsonProcessingException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    public static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException unserialisable) {
            throw new UncheckedIOException(unserialisable);
        }
    }

    public static Buffer buffer(Object value) {
        return Buffer.buffer(bytes(value));
    }

    /** Straight to UTF-8: a {@code String} in between would take two bytes a character as soon as one is beyond Latin-1. */
    public static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException unserialisable) {
            throw new UncheckedIOException(unserialisable);
        }
    }

    /** Shortest form: {@code 0} and {@code 100} rather than {@code 0.0} and {@code 100.0}; clients compare the text. */
    public static NumericNode number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? JsonNodeFactory.instance.numberNode((long) value)
                : JsonNodeFactory.instance.numberNode(value);
    }

    /** RFC 3339 in UTC, always six digits of fraction: the canvas sorts these as plain text. */
    public static String time(Instant instant) {
        return WIRE_TIME.format(instant);
    }

    public static @Nullable String timeOrNull(@Nullable Instant instant) {
        return instant == null ? null : time(instant);
    }

    /**
     * Whether it comes back from PostgreSQL as it went in: no NUL and no half of a surrogate pair in a text or name, no number
     * beyond 1,000 digits behind its point, nor one that readers who count in floating point take for infinite.
     */
    public static boolean isStorable(JsonNode node) {
        if (node.isTextual()) {
            return isStorable(node.textValue());
        }
        if (node.isNumber()) {
            return !(node.isBigDecimal() || node.isBigInteger()) || isStorable(node.decimalValue());
        }
        for (var property : node.properties()) {
            if (!isStorable(property.getKey()) || !isStorable(property.getValue())) {
                return false;
            }
        }
        if (node.isArray()) {
            for (var element : node) {
                if (!isStorable(element)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isStorable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                return false;
            }
            if (Character.isSurrogate(c)) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    private static boolean isStorable(BigDecimal number) {
        boolean fewDigits = number.scale() <= DIGITS_MAX && (long) number.precision() - number.scale() <= DIGITS_MAX;
        return fewDigits && Double.isFinite(number.doubleValue());
    }
}
