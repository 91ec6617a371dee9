package ai.molecule.runtime.filetools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.tools.ToolRefusal;
import com.google.re2j.Pattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How large a pattern may be, and how long it may take. */
class BoundingPatternsTest {

    /** Policies measure patterns by a class of their own: no module lies below both, so one file holds them to the same. */
    private static final Path PATTERNS =
            Path.of("../registry-service/src/test/resources/ai/molecule/registry/policy/patterns.txt");

    static Stream<Arguments> patternsOfBoth() throws IOException {
        return Files.readAllLines(PATTERNS).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" ", 2))
                .map(parts -> Arguments.of(parts[0].equals("small"), parts[1]));
    }

    @ParameterizedTest
    @MethodSource("patternsOfBoth")
    void an_agent_may_search_for_what_a_policy_takes(boolean small, String pattern) {
        assertThat(PatternSize.isSmall(pattern)).isEqualTo(small);
    }

    @Test
    void a_pattern_is_refused_that_its_repetitions_make_large() {
        assertThatThrownBy(() -> Patterns.regex("(a{101}b){100}"))
                .isInstanceOf(ToolRefusal.class)
                .hasMessage(
                        "with its repetitions written out a pattern may have at most 2,000 parts; repeat less, or make it shorter");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            value = {
                "(\\d{1,3}\\.){3}\\d{1,3} ! at 127.0.0.1",
                "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} ! 7f000000-0000-4000-8000-000000000000",
                "a{900}b{900}|c ! c",
                "[(]{2}a\\Q{9999}\\E ! ((a{9999}",
                "class \\w+ { ! class One {",
                "(?i)über ! ÜBER",
                "x{,5} ! x{,5}"
            })
    void any_other_is_used(String pattern, String text) {
        assertThat(Patterns.regex(pattern).matcher(text).find()).isTrue();
    }

    @Test
    void a_pattern_is_left_when_the_time_is_over() {
        var pattern = Pattern.compile("(a|aa)+$");

        assertThatThrownBy(() -> pattern.matcher(new TimedText("aaa", System.nanoTime() - 1))
                        .find())
                .isInstanceOf(ToolRefusal.class)
                .hasMessageStartingWith("the pattern takes too long");
        assertThat(pattern.matcher(new TimedText("aaa", System.nanoTime() + 60_000_000_000L))
                        .find())
                .isTrue();
    }
}
