package ai.molecule.proxy.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"task\":{\"status\":{\"state\":\"TASK_STATE_COMPLETED\"},\"artifacts\":[{\"parts\":[{\"text\":\"done\"}]}]}} | false | done",
                "{\"task\":{\"status\":{\"state\":\"TASK_STATE_FAILED\",\"message\":{\"parts\":[{\"text\":\"no key\"}]}}}} | true | no key",
                "{\"status\":{\"state\":\"TASK_STATE_CANCELED\"}} | true | the agent's task is TASK_STATE_CANCELED",
                "{\"message\":{\"parts\":[{\"url\":\"u\"},{\"text\":\"look\"}]}} | false | look",
                "{\"artifactUpdate\":{\"artifact\":{\"parts\":[{\"text\":\"piece\"}]}}} | false | piece",
            })
    void answers_of_1_0_say_as_much(String result, boolean failed, String text) throws Exception {
        byte[] body = ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}").getBytes(StandardCharsets.UTF_8);

        assertThat(AnswerText.of(body)).isEqualTo(new AnswerText(failed, text));
        assertThat(AnswerText.saysFailed(Json.parse(body))).isEqualTo(failed);
    }

    /** A task as a server of 0.3 has it after three chunks, of which the second and third were appended. */
    @Test
    void an_answer_in_pieces_is_read_whole_and_every_artifact_of_it() {
        String pieces =
                "{\"parts\":[{\"kind\":\"text\",\"text\":\"The invoice \"},{\"kind\":\"text\",\"text\":\"is 4,711 euros, \"},"
                        + "{\"kind\":\"text\",\"text\":\"due on Friday.\"}]}";

        assertThat(AnswerText.of(
                        task("completed", "", pieces + ",{\"parts\":[{\"kind\":\"text\",\"text\":\"Regards\"}]}")))
                .isEqualTo(new AnswerText(false, "The invoice is 4,711 euros, due on Friday.\nRegards"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"failed", "rejected", "input-required", "auth-required"})
    void a_reason_or_question_comes_before_what_was_said_on_the_way_to_it(String state) {
        var answer = task(state, "it broke", "{\"parts\":[{\"kind\":\"text\",\"text\":\"partly\"}]}");

        assertThat(AnswerText.of(answer).text()).isEqualTo("it broke\npartly");
    }

    private static byte[] task(String state, String said, String artifacts) {
        String message =
                said.isEmpty() ? "" : ",\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"" + said + "\"}]}";
        return ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"status\":{\"state\":\""
                        + state + "\"" + message + "},\"artifacts\":[" + artifacts + "]}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static AnswerText said(String state) {
        return AnswerText.of("""
                {"result":{"kind":"message","parts":[{"kind":"text","text":"Agent error: no key"}],"metadata":{"task_state":"%s"}}}
                """.formatted(state).getBytes(StandardCharsets.UTF_8));
    }
}
