package ai.molecule.runtime.rehearse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The agent does what the lines of a message say, in their order. */
class ObeyingScriptsTest {

    @TempDir
    private Path folder;

    private final List<String> done = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private RehearseExecutor agent;

    @BeforeEach
    void start() {
        agent = new RehearseExecutor("", folder);
    }

    @Test
    void it_says_waits_shows_steps_and_makes_files() throws Exception {
        play("t", "step reading\nsay one\n\nwait 1ms\nsay two  words\nfile report.txt All is well");

        assertThat(done)
                .containsExactly(
                        "step reading", "say one\n", "say two  words\n", "say /workspace/rehearse/report.txt\n");
        assertThat(folder.resolve("rehearse/report.txt")).hasContent("All is well");
    }

    @Test
    void what_stands_behind_a_question_is_played_with_its_answer_and_of_each_task_by_itself() throws Exception {
        play("t", "say begun\nask Which one?\nsay $answer it is\nauth Sign in\nsay done");
        play("other", "hello");
        play("t", "the red one");
        play("t", "done it");

        assertThat(done)
                .containsExactly(
                        "say begun\n",
                        "ask Which one?",
                        "say hello\n",
                        "say the red one it is\n",
                        "auth Sign in",
                        "say done\n");
    }

    @Test
    void data_and_links_go_with_its_answer() throws Exception {
        play(
                "t",
                "data {\"n\":1,\"said\":\"it was $answer\"}\nlink https://x.example/a/plan.pdf?v=1 application/pdf\nlink http://x.example/");

        assertThat(done).hasSize(3).first().asString().startsWith("data {\"n\":1,\"said\":\"it was data {");
        assertThat(done)
                .endsWith(
                        "link https://x.example/a/plan.pdf?v=1 plan.pdf application/pdf",
                        "link http://x.example/ x.example application/octet-stream");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data",
                "data [1]",
                "data {\"n\":",
                "data {} {}",
                "link",
                "link ftp://x.example/a",
                "link https://x.example/a no type",
                "message"
            })
    void what_is_no_object_of_json_or_no_address_is_refused(String line) {
        assertThatThrownBy(() -> play("t", "say never\n" + line)).isInstanceOf(AgentFailure.class);
        assertThat(done).isEmpty();
    }

    @Test
    void a_script_that_begins_with_a_message_is_answered_with_one() {
        agent = new RehearseExecutor("when direct\nmessage Here\nwhen task\nsay Here", folder);

        assertThat(agent.answersDirectly("direct-1", "hello")).isTrue();
        assertThat(agent.answersDirectly("m", "message It is $answer")).isTrue();
        assertThat(agent.answersDirectly("task-1", "message")).isFalse();
        assertThat(agent.answersDirectly("m", "say a\nmessage b")).isFalse();
        assertThat(agent.answersDirectly("m", "message a\nsing")).isFalse();
        assertThat(agent.answersDirectly("m", "hello")).isFalse();
    }

    @Test
    void it_rejects_and_fails() throws Exception {
        play("t", "reject Not mine\nsay never");

        assertThatThrownBy(() -> play("u", "say a\nfail It broke\nsay never"))
                .isInstanceOf(AgentFailure.class)
                .hasMessage("It broke");
        assertThat(done).containsExactly("reject Not mine", "say a\n");
    }

    @Test
    void a_message_without_a_script_plays_the_one_of_the_configuration() throws Exception {
        agent = new RehearseExecutor("say You said $answer\nask More?", folder);

        play("t", "hello");

        assertThat(done).containsExactly("say You said hello\n", "ask More?");
        assertThatThrownBy(() -> new RehearseExecutor("sing a song", folder)).hasMessageContaining("sing a song");
    }

    @Test
    void a_suite_says_by_the_id_of_a_message_or_its_first_word_what_it_wants_to_see() throws Exception {
        agent = new RehearseExecutor(
                "say anything\nwhen done\nsay Done\nwhen done-not\nfail No\nwhen ask\nask Which?\nsay never", folder);

        play("t", "hello", "m-1");
        play("t", "hello", "ask-1");
        play("t", "hello", "done-1");
        play("u", "ask me", "m-2");
        play("u", "that one", "m-3");

        assertThat(done).containsExactly("say anything\n", "ask Which?", "say Done\n", "ask Which?", "say never\n");
        assertThatThrownBy(() -> play("v", "say hi", "done-not-1")).hasMessage("No");
    }

    @ParameterizedTest
    @ValueSource(strings = {"when", "when a", "when a\nsay 1\nwhen a\nsay 2", "when a\nsing"})
    void a_case_without_a_word_or_without_lines_is_no_script(String script) {
        assertThatThrownBy(() -> new RehearseExecutor(script, folder)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"say", "wait long", "wait 21m", "file ../x", "say a\nsing b"})
    void what_is_no_script_fails_and_says_so(String script) {
        assertThatThrownBy(() -> play("t", script)).isInstanceOf(AgentFailure.class);
        assertThat(done).isEmpty();
    }

    private void play(String task, String text) throws Exception {
        play(task, text, "m");
    }

    private void play(String task, String text, String messageId) throws Exception {
        var message = JsonNodeFactory.instance.objectNode().put("messageId", messageId);
        agent.answer(new Prompt(task, "c", text, message, MissingNode.getInstance()), new Reply() {
            @Override
            public void chunk(String piece) {
                done.add("say " + piece);
            }

            @Override
            public void text(String piece) {
                done.add("say " + piece);
            }

            @Override
            public void ask(String question) {
                done.add("ask " + question);
            }

            @Override
            public void askToSignIn(String what) {
                done.add("auth " + what);
            }

            @Override
            public void reject(String why) {
                done.add("reject " + why);
            }

            @Override
            public void data(ObjectNode data) {
                done.add("data " + data);
            }

            @Override
            public void link(String uri, String name, String mediaType) {
                done.add("link " + uri + " " + name + " " + mediaType);
            }

            @Override
            public void step(String what) {
                done.add("step " + what);
            }
        });
    }
}
