package ai.molecule.proxy.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/** The scanner takes what Jackson takes, and finds what Jackson finds. */
class ScanningJsonTest {

    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Shape SHAPE = Shape.of("a", "a.b", "a.b.c", "é");
    private static final Pattern LONG_EXPONENT = Pattern.compile("[0-9][eE][+-]?0*[1-9][0-9]{3}");
    private static final int A = 0;
    private static final int AB = 1;
    private static final int ABC = 2;

    @Property(tries = 2000)
    void any_json_is_taken_and_its_members_found_where_jackson_finds_them(@ForAll("values") String json)
            throws JsonProcessingException {
        byte[] text = json.getBytes(UTF_8);
        JsonNode tree = STRICT.readTree(json);

        var found = JsonScanner.scan(text, SHAPE).orElseThrow();

        assertSame(text, found.at(A), tree.path("a"));
        assertSame(text, found.at(AB), tree.path("a").path("b"));
        assertSame(text, found.at(ABC), tree.path("a").path("b").path("c"));
    }

    @Property(tries = 5000)
    void a_damaged_text_is_taken_only_if_jackson_takes_it(
            @ForAll("values") String json, @ForAll("damage") String damage, @ForAll int where) {
        int at = Math.floorMod(where, json.length() + 1);
        String damaged = json.substring(0, at) + damage + json.substring(Math.min(json.length(), at + 1));

        boolean bounded = !LONG_EXPONENT.matcher(damaged).find();
        assertThat(JsonScanner.isJson(damaged.getBytes(UTF_8))).as(damaged).isEqualTo(bounded && jacksonTakes(damaged));
    }

    @Property(tries = 5000)
    void bytes_that_are_no_utf8_are_no_json(@ForAll @Size(max = 6) byte[] inside) {
        byte[] text = new byte[inside.length + 2];
        text[0] = '"';
        text[text.length - 1] = '"';
        for (int i = 0; i < inside.length; i++) {
            text[i + 1] = (byte) (inside[i] | 0x80);
        }

        assertThat(JsonScanner.isJson(text)).isEqualTo(isUtf8(text));
    }

    @Example
    void a_number_that_is_short_only_as_written_is_refused() {
        assertThat(JsonScanner.isJson("[1e400,-1E-999,1e+000000000000400]".getBytes(UTF_8)))
                .isTrue();
        for (String number : List.of("1e1000", "1e-5000", "1e", "1e+", "1e99999999999")) {
            assertThat(JsonScanner.isJson(number.getBytes(UTF_8))).as(number).isFalse();
        }
        assertThat(JsonScanner.isJson("[1e0,1e00]".getBytes(UTF_8))).isTrue();
    }

    @Example
    void of_a_repeated_name_the_last_counts_with_nothing_left_of_the_first() {
        byte[] text = "{\"a\":{\"b\":1},\"a\":{\"x\":2}}".getBytes(UTF_8);

        var found = JsonScanner.scan(text, SHAPE).orElseThrow();

        assertThat(textOf(text, found.at(A))).isEqualTo("{\"x\":2}");
        assertThat(found.at(AB)).isNull();
    }

    @Example
    void an_escaped_name_is_the_same_name() {
        byte[] text = "{\"\\u0061\":{\"b\":1e400}}".getBytes(UTF_8);

        assertThat(textOf(text, JsonScanner.scan(text, SHAPE).orElseThrow().at(AB)))
                .isEqualTo("1e400");
    }

    @Example
    void nesting_is_followed_up_to_its_bound_and_refused_beyond() {
        int max = JsonScanner.DEPTH_MAX;

        assertThat(JsonScanner.isJson(("[".repeat(max) + "]".repeat(max)).getBytes(UTF_8)))
                .isTrue();
        assertThat(JsonScanner.isJson(("[".repeat(max + 1) + "]".repeat(max + 1)).getBytes(UTF_8)))
                .isFalse();
        assertThat(JsonScanner.isJson("[".repeat(1_000_000).getBytes(UTF_8))).isFalse();
        assertThat(JsonScanner.isJson("{\"a\":".repeat(200_000).getBytes(UTF_8)))
                .isFalse();
    }

    @Example
    void a_number_longer_than_the_platform_reads_is_refused() {
        assertThat(JsonScanner.isJson("9".repeat(1000).getBytes(UTF_8))).isTrue();
        assertThat(JsonScanner.isJson("9".repeat(1001).getBytes(UTF_8))).isFalse();
    }

    @Provide
    Arbitrary<String> values() {
        return value(4);
    }

    @Provide
    Arbitrary<String> damage() {
        return Arbitraries.of(
                "", "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", ".", "e", "+", "\n", "\t", "u", "null",
                "\u0001", " ");
    }

    private static Arbitrary<String> value(int depth) {
        var scalar = Arbitraries.of(
                "0",
                "-0",
                "1.10",
                "1e5",
                "-12.5E-3",
                "12345678901234567890123",
                "true",
                "false",
                "null",
                "\"\"",
                "\"x\"",
                "\"\\u00e9\\n\\\"\\\\\"",
                "\"\\ud83d\\ude00\"",
                "\"é😀\"",
                "\"a\\/b\"");
        if (depth == 0) {
            return scalar;
        }
        var inner = Arbitraries.lazy(() -> value(depth - 1));
        var member = Combinators.combine(
                        Arbitraries.of("\"a\"", "\"b\"", "\"c\"", "\"\\u0062\"", "\"é\""), spaces(), inner)
                .as((name, space, value) -> space + name + space + ":" + space + value + space);
        var object = Combinators.combine(member.list().ofMaxSize(4), spaces())
                .as((members, space) -> members.isEmpty() ? "{" + space + "}" : "{" + String.join(",", members) + "}");
        var array = inner.list().ofMaxSize(3).map(values -> "[" + String.join(" , ", values) + "]");
        return Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(2, scalar), net.jqwik.api.Tuple.of(5, object), net.jqwik.api.Tuple.of(1, array));
    }

    private static Arbitrary<String> spaces() {
        return Arbitraries.of("", "", " ", "\n\t", "\r ");
    }

    private static void assertSame(byte[] text, @Nullable Span span, JsonNode expected) throws JsonProcessingException {
        if (span == null) {
            assertThat(expected.isMissingNode()).isTrue();
        } else {
            assertThat(STRICT.readTree(textOf(text, span))).isEqualTo(expected);
        }
    }

    private static @Nullable String textOf(byte[] text, @Nullable Span span) {
        return span == null ? null : span.in(text);
    }

    private static boolean isUtf8(byte[] text) {
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
            return true;
        } catch (CharacterCodingException malformed) {
            return false;
        }
    }

    private static boolean jacksonTakes(String json) {
        try {
            return !STRICT.readTree(json.getBytes(UTF_8)).isMissingNode();
        } catch (IOException refused) {
            return false;
        }
    }
}
