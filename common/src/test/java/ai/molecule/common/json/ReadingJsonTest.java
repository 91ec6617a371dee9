package ai.molecule.common.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What strangers' bodies are read as. */
class ReadingJsonTest {

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32", "UTF-32BE", "UTF-32LE"})
    void bodies_in_another_encoding_are_refused(String charset) {
        assertThatThrownBy(() -> Json.parse("{\"a\":1}".getBytes(Charset.forName(charset))))
                .isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @CsvSource({"overlong,C0AF", "half a surrogate pair,EDA080", "cut,C3", "beyond Unicode,F4908080"})
    void what_is_no_utf_8_is_refused(String what, String hex) {
        byte[] text = ("{\"a\":\"" + "??".repeat(2) + "\"}").getBytes(UTF_8);
        byte[] bad = HexFormat.of().parseHex(hex);
        System.arraycopy(bad, 0, text, 6, bad.length);

        assertThatThrownBy(() -> Json.parse(text)).as(what).isInstanceOf(IOException.class);
    }

    @Test
    void a_byte_order_mark_and_every_character_are_read() throws IOException {
        assertThat(Json.parse("\uFEFF{\"ä\":\"\uFFFD😀\"}".getBytes(UTF_8))).hasToString("{\"ä\":\"\uFFFD😀\"}");
        assertThat(Json.parse(new byte[0]).isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1e308,true", "-1e308,true", "1e-400,true", "1e309,false", "-1e999,false", "1.5,true"})
    void numbers_that_read_back_as_infinite_are_not_stored(String number, boolean storable) throws IOException {
        assertThat(Json.isStorable(Json.parse(("[" + number + "]").getBytes(UTF_8))))
                .isEqualTo(storable);
    }

    @Test
    void a_whole_number_too_large_for_a_double_is_not_stored_either() throws IOException {
        assertThat(Json.isStorable(Json.parse("9".repeat(400).getBytes(UTF_8)))).isFalse();
    }

    /** With either of them 25,000 different names cost a quarter of a second. */
    @Test
    void names_are_neither_canonicalised_nor_interned() {
        var factory = Json.MAPPER.getFactory();

        assertThat(factory.isEnabled(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES))
                .isFalse();
        assertThat(factory.isEnabled(JsonFactory.Feature.INTERN_FIELD_NAMES)).isFalse();
    }
}
