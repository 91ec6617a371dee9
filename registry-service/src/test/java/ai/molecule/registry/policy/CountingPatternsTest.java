package ai.molecule.registry.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns are measured before they are compiled, and what is measured as small is. */
class CountingPatternsTest {

    /** RE2 needs an instruction or some for each part: two for a group, two for a character that may be absent. */
    private static final int INSTRUCTIONS_PER_PART_MAX = 3;

    /** What agents search for is measured by a class of their own, whose test reads the same file. */
    static Stream<Arguments> patternsOfBoth() throws IOException {
        try (var file = CountingPatternsTest.class.getResourceAsStream("patterns.txt")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", 2))
                    .map(parts -> Arguments.of(parts[0].equals("small"), parts[1]));
        }
    }

    @ParameterizedTest
    @MethodSource("patternsOfBoth")
    void a_policy_takes_what_an_agent_may_search_for(boolean small, String pattern) {
        assertThat(isTaken(pattern)).isEqualTo(small);
    }

    private static boolean isTaken(String pattern) {
        try {
            PatternSize.check(pattern);
            return true;
        } catch (ApiError large) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "((a{1000}){1000}){20}",
                "(a{100}){11}",
                "(a{32}b){32}",
                "(?:(?:a{10}){10}){11}",
                "a{1000}{2}",
                "(a{2,}){501}",
                "(([]{1]a{40}){40})",
                "([[:alpha:]]{50}){50}",
                "(\\x{41}{50}){50}",
                "(\\Qa\\E{50}){50}",
                "(\\){50}){50}",
                "(a{99999999999999999999}){2}",
                "x)(a{1000}){2}"
            })
    void repetitions_that_multiply_beyond_a_thousand_are_refused(String pattern) {
        assertThatThrownBy(() -> PatternSize.check(pattern))
                .isInstanceOf(ApiError.class)
                .hasMessageContaining("repetitions within each other may come to at most 1,000");
    }

    @Test
    void a_long_text_that_is_repeated_is_refused() {
        assertThatThrownBy(() -> PatternSize.check("(" + "a".repeat(900) + "){1000}"))
                .hasMessageContaining("a pattern may have at most 2,000 parts");
    }

    @Property(tries = 2_000)
    void what_is_measured_as_small_is_compiled_small(@ForAll("patterns") String pattern) {
        try {
            PatternSize.check(pattern);
            assertThat(Pattern.compile(pattern).programSize())
                    .as(pattern)
                    .isLessThanOrEqualTo(PatternSize.WRITTEN_OUT_MAX * INSTRUCTIONS_PER_PART_MAX);
        } catch (ApiError | PatternSyntaxException refused) {
            // by either: it is compiled no further
        }
    }

    @Provide
    Arbitrary<String> patterns() {
        return Arbitraries.of(
                        "a",
                        "(",
                        ")",
                        "(?:",
                        "(?i)",
                        "[",
                        "]",
                        "^",
                        "|",
                        "*",
                        "?",
                        "{9}",
                        "{1000}",
                        "{2,}",
                        "{0,40}",
                        "{",
                        "}",
                        "[:alpha:]",
                        "[^]",
                        "\\",
                        "\\Q",
                        "\\E",
                        "\\x{41}",
                        "\\p{Greek}",
                        "\\pN",
                        "\\d",
                        "(a{30})",
                        "-")
                .list()
                .ofMinSize(1)
                .ofMaxSize(14)
                .map(parts -> String.join("", parts));
    }
}
