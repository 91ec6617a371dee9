package ai.molecule.runtime.filetools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.tools.ToolRefusal;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Patterns that go back and forth for ever. */
class TimedTextTest {

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
