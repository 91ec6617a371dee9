package ai.molecule.common.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
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
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** The one Jackson mapper and the small conversions every body goes through. */
public final class Json {

    /** Nesting deeper than this is refused: bodies come from strangers and trees are walked recursively. */
    private static final int DEPTH_MAX = 200;

    public static final JsonMapper MAPPER = JsonMapper.builder(com.fasterxml.jackson.core.JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .maxNumberLength(1000)
                            .build())
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

    private Json() {}

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Parses the first JSON value of {@code text}; fails with {@link IOException} when there is none. */
    public static JsonNode parse(byte[] text) throws IOException {
        return MAPPER.readTree(text);
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
        try {
            return Buffer.buffer(MAPPER.writeValueAsBytes(value));
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

    /** Whether any text or key inside holds a NUL character, which PostgreSQL cannot store. */
    public static boolean hasNul(JsonNode node) {
        if (node.isTextual()) {
            return node.textValue().indexOf('\0') >= 0;
        }
        for (var property : node.properties()) {
            if (property.getKey().indexOf('\0') >= 0 || hasNul(property.getValue())) {
                return true;
            }
        }
        if (node.isArray()) {
            for (var element : node) {
                if (hasNul(element)) {
                    return true;
                }
            }
        }
        return false;
    }
}
