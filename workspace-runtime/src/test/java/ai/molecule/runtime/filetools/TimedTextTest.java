package ai.molecule.runtime.filetools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.tools.ToolRefusal;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns that go back and forth for ever. */
class TimedTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "((){30000}){30000}",
                "(?:(?:){2147483647}){2147483647}x",
                "(a{101}b){100}",
                "x{0,20000}",
                "(?ix)(() {9999}) {9999}",
                "([)]{200}(?:\\\\)){200,}",
                "(\\Q{1}(\\E{200}){0,200}"
            })
    void repetitions_within_each_other_are_refused_before_they_go_round(String pattern) {
        assertThatThrownBy(() -> Patterns.regex(pattern))
                .isInstanceOf(ToolRefusal.class)
                .hasMessage("repetitions within each other may come to at most 10,000; use a simpler pattern");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(\\d{1,3}\\.){3}\\d{1,3}",
                "a{5000}b{5000}",
                "\\(a{5000}\\)b{5000}",
                "[(]a{5000}[)]{5000}",
                "([a-z]{2,})+{"
            })
    void repetitions_beside_each_other_are_as_many_as_they_like(String pattern) {
        assertThat(Repetitions.areFew(pattern)).isTrue();
    }

    @Test
    void a_pattern_is_left_when_the_time_is_over() {
        var text = new TimedText("aaa", System.nanoTime() - 1);

        assertThatThrownBy(() -> Pattern.compile("(a|aa)+$").matcher(text).find())
                .isInstanceOf(ToolRefusal.class)
                .hasMessageStartingWith("the pattern takes too long");
        assertThat(Pattern.compile("(a|aa)+$")
                        .matcher(new TimedText("aaa", System.nanoTime() + 60_000_000_000L))
                        .find())
                .isTrue();
    }
}
