package ai.molecule.proxy.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
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
    void chunks_of_a_named_artifact_are_put_behind_each_other_and_replace_it_without_append() {
        String chunk =
                "{'kind':'artifact-update','append':%b,'artifact':{'artifactId':'%s','parts':[{'kind':'text','text':'%s'}]}}";

        assertThat(said(
                        chunk.formatted(false, "one", "The invoice "),
                        chunk.formatted(false, "two", "Second."),
                        chunk.formatted(true, "one", "is 4,711 euros, "),
                        chunk.formatted(true, "one", "due on Friday."),
                        DONE))
                .isEqualTo("The invoice is 4,711 euros, due on Friday.\nSecond.");
        assertThat(said(chunk.formatted(false, "one", "draft"), chunk.formatted(false, "one", "final"), DONE))
                .isEqualTo("final");
    }

    @Test
    void a_question_or_reason_comes_before_what_was_said_on_the_way_to_it() {
        String end =
                "{'kind':'status-update','status':{'state':'%s','message':{'parts':[{'kind':'text','text':'which?'}]}}}";

        for (String state : new String[] {"input-required", "auth-required", "failed", "rejected"}) {
            assertThat(said(chunk("Let me look.", false), end.formatted(state))).isEqualTo("which?\nLet me look.");
        }
        assertThat(said(chunk("Let me look.", false), end.formatted("completed")))
                .isEqualTo("Let me look.");
    }

    @Test
    void what_an_agent_was_doing_is_not_the_reason_for_its_failure() {
        String working =
                "{'kind':'status-update','status':{'state':'working','message':{'parts':[{'kind':'text','text':'counting'}]}}}";

        assertThat(said(working, chunk("1, 2", false), "{'kind':'status-update','status':{'state':'failed'}}"))
                .isEqualTo("1, 2");
    }

    @Test
    void the_last_event_counts_also_behind_more_events_than_are_kept() {
        var kept = bytes(
                "{\"result\":{\"kind\":\"artifact-update\",\"artifact\":{\"parts\":[{\"kind\":\"text\",\"text\":\"on the way\"}]}}}");
        var last = bytes(
                "{\"result\":{\"kind\":\"status-update\",\"status\":{\"state\":\"failed\",\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"no key\"}]}}}}");

        assertThat(TaskWords.streamed(List.of(kept), last).words()).isEqualTo("no key\non the way");
    }

    @Test
    void what_is_no_json_says_nothing() {
        assertThat(TaskWords.streamed(
                        Stream.of("", "no json", "[]")
                                .map(WordsOfStreamsTest::bytes)
                                .toList(),
                        bytes("")))
                .isEqualTo(new TaskWords("", null));
    }

    private static String chunk(String text, boolean append) {
        return "{'kind':'artifact-update','append':%b,'artifact':{'parts':[{'kind':'text','text':'%s'}]}}"
                .formatted(append, text);
    }

    private static String said(String... results) {
        var events = Stream.of(results)
                .map(result -> bytes(("{'jsonrpc':'2.0','id':1,'result':" + result + "}").replace('\'', '"')))
                .toList();
        return TaskWords.streamed(events, events.getLast()).words();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
