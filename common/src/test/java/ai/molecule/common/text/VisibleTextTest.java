package ai.molecule.common.text;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.testkit.Documents;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person decides on shows what it is. The console's own tests have the same sentences. */
class VisibleTextTest {

    @ParameterizedTest
    @CsvSource({
        "rm \u202Etxt.exe, rm \u27E8U+202E\u27E9txt.exe",
        "a\u2066b\u2069, a\u27E8U+2066\u27E9b\u27E8U+2069\u27E9",
        "pay\u200Bpal, pay\u27E8U+200B\u27E9pal",
        "pay\u200Dpal, pay\u27E8U+200D\u27E9pal",
        "pay\u00ADpal, pay\u27E8U+00AD\u27E9pal",
        "ls\uFE0F, ls\u27E8U+FE0F\u27E9",
        "a\uD83D\uDE80\u200Db, a\uD83D\uDE80\u27E8U+200D\u27E9b",
        "a\uDB40\uDC41, a\u27E8U+E0041\u27E9",
        "a\u001B[2Jb, a\u27E8U+001B\u27E9[2Jb",
        "a\uE000, a\u27E8U+E000\u27E9",
    })
    void what_shows_nothing_or_turns_the_text_is_written_out(String text, String shown) {
        assertThat(VisibleText.lines(text)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({
        "p\u0430ypal.com, p\u27E8U+0430\u27E9ypal.com", // Cyrillic
        "g\u03BFogle, g\u27E8U+03BF\u27E9ogle", // Greek
        "\u0421lean, \u27E8U+0421\u27E9lean",
        "p\u200B\u0430y, p\u27E8U+200B\u27E9\u27E8U+0430\u27E9y",
        "--\u0430ll, --\u27E8U+0430\u27E9ll",
    })
    void a_letter_that_passes_for_a_latin_one_beside_latin_ones_is_written_out(String text, String shown) {
        assertThat(VisibleText.lines(text)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u05E9\u05DC\u05D5\u05DD \u05E2\u05D5\u05DC\u05DD, world", // Hebrew
                "\u0645\u0631\u062D\u0628\u0627 \u0628\u0643\u0645", // Arabic
                "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645", // Persian, with the joiner that it needs
                "\u0915\u094D\u200D\u0937", // Hindi likewise
                "\u0443\u0434\u0430\u043B\u0438\u0442\u044C USB-\u043A\u0430\u0431\u0435\u043B\u044C", // Russian
                "\u03BA\u03B1\u03BB\u03B7\u03BC\u03AD\u03C1\u03B1", // Greek
                "\u0394x = 3 \u03BCm", // a difference in micrometres
                "\u5220\u9664 report.html \u6587\u4EF6", // Chinese
                "na\u00EFve caf\u0065\u0301 stra\u00DFe",
                "\uD83D\uDC69\u200D\uD83D\uDD2C \uD83D\uDC69\uD83C\uDFFD\u200D\uD83D\uDE80 \u2764\uFE0F\u200D\uD83D\uDD25 1\uFE0F\u20E3",
                "{\"command\": \"ls -l\"}\n\tnext",
            })
    void honest_text_of_any_alphabet_stays_as_it_is(String text) {
        assertThat(VisibleText.lines(text)).isEqualTo(text);
    }

    @Test
    void in_a_line_the_ends_of_lines_are_written_out() {
        assertThat(VisibleText.line("a\nb\tc")).isEqualTo("a\u27E8U+000A\u27E9b\u27E8U+0009\u27E9c");
    }

    @Test
    void the_console_has_the_same_table() throws IOException {
        String source = Files.readString(Documents.CONSOLE_VISIBLE);
        List<LookAlikes.Range> unseen = new ArrayList<>();
        var range = Pattern.compile("\\[0x([0-9a-f]+), 0x([0-9a-f]+)\\]").matcher(source);
        while (range.find()) {
            unseen.add(
                    new LookAlikes.Range(Integer.parseInt(range.group(1), 16), Integer.parseInt(range.group(2), 16)));
        }
        var letters = new StringBuilder();
        String set = source.substring(source.indexOf("LOOK_LATIN"), source.indexOf(");", source.indexOf("LOOK_LATIN")));
        var letter = Pattern.compile("\\\\u([0-9a-f]{4})").matcher(set);
        while (letter.find()) {
            letters.append((char) Integer.parseInt(letter.group(1), 16));
        }
        var ours = new StringBuilder();
        for (int i = 0; i < LookAlikes.OF_OTHER_ALPHABETS.length(); i += 2) {
            ours.append(LookAlikes.OF_OTHER_ALPHABETS.charAt(i));
        }

        assertThat(unseen).isEqualTo(LookAlikes.UNSEEN);
        assertThat(letters).hasToString(ours.toString());
    }
}
