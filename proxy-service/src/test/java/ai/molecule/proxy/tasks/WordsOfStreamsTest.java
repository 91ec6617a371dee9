package ai.molecule.proxy.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a stream said in all, in whichever dialect. */
class WordsOfStreamsTest {

    private static final String DONE = "{'kind':'status-update','status':{'state':'completed'}}";

    @Test
    void chunks_are_put_together_and_artifacts_stand_on_lines_of_their_own() {
        assertThat(said(chunk("a", false), chunk("b", true), chunk("c", false), DONE))
                .isEqualTo("ab\nc");
    }

    @Test
    void a_task_that_comes_whole_in_the_end_says_nothing_twice() {
        String task =
                "{'kind':'task','artifacts':[{'parts':[{'kind':'text','text':'ab!'}]}],'status':{'state':'completed'}}";

        assertThat(said(chunk("a", false), chunk("b", true), task)).isEqualTo("ab!");
    }

    @Test
    void without_artifacts_the_last_words_count() {
        String working =
                "{'kind':'status-update','status':{'state':'working','message':{'parts':[{'kind':'text','text':'counting'}]}}}";
        String message = "{'kind':'message','parts':[{'kind':'text','text':'42'}]}";

        assertThat(said(working, message)).isEqualTo("42");
        assertThat(said(working, DONE)).isEqualTo("counting");
        assertThat(said(DONE)).isEmpty();
    }

    @Test
    void the_newer_dialect_names_what_it_is() {
        assertThat(said(
                        "{'artifactUpdate':{'artifact':{'parts':[{'text':'a'}]}}}",
                        "{'artifactUpdate':{'append':true,'artifact':{'parts':[{'text':'b'}]}}}",
                        "{'statusUpdate':{'status':{'state':'TASK_STATE_COMPLETED'}}}"))
                .isEqualTo("ab");
    }

    @Test
    void what_is_no_json_says_nothing() {
        assertThat(TaskWords.streamed(Stream.of("", "no json", "[]")
                        .map(WordsOfStreamsTest::bytes)
                        .toList()))
                .isEqualTo(new TaskWords("", null));
    }

    private static String chunk(String text, boolean append) {
        return "{'kind':'artifact-update','append':%b,'artifact':{'parts':[{'kind':'text','text':'%s'}]}}"
                .formatted(append, text);
    }

    private static String said(String... results) {
        return TaskWords.streamed(Stream.of(results)
                        .map(result -> bytes(("{'jsonrpc':'2.0','id':1,'result':" + result + "}").replace('\'', '"')))
                        .toList())
                .words();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
