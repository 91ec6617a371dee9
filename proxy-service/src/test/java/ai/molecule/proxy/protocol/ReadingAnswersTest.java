package ai.molecule.proxy.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadingAnswersTest {

    @ParameterizedTest
    @ValueSource(strings = {"failed", "canceled"})
    void a_message_says_in_its_metadata_that_the_work_failed(String state) {
        assertThat(said(state)).isEqualTo(new AnswerText(true, "Agent error: no key"));
    }

    @Test
    void a_message_of_work_that_went_well_is_no_failure() {
        assertThat(said("completed")).isEqualTo(new AnswerText(false, "Agent error: no key"));
    }

    private static AnswerText said(String state) {
        return AnswerText.of("""
                {"result":{"kind":"message","parts":[{"kind":"text","text":"Agent error: no key"}],"metadata":{"task_state":"%s"}}}
                """.formatted(state).getBytes(StandardCharsets.UTF_8));
    }
}
