package ai.molecule.runtime.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Background;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.ToolUse;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent that is a program of somebody else's and speaks in lines. */
class KeepingAProgramTest {

    @TempDir
    private Path home;

    private ProgramExecutor agent;

    @BeforeEach
    void start() {
        var command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ScriptedAgent.class.getName());
        var setup = new AgentSetup("mine", "a:model", "", List.of(), 0, () -> "Be kind.", Map.of());
        agent = new ProgramExecutor(
                new AgentProgram.Beginning(command, Map.of("WORKSPACE_ID", "w"), home, home, setup), () -> "Be kind.");
    }

    @AfterEach
    void stop() {
        agent.close();
    }

    @Test
    void it_says_what_it_can_do_and_its_words_steps_and_tools_are_passed_on() throws Exception {
        var heard = answer("hello");

        assertThat(agent.skill().description()).isEqualTo("Does as told.");
        assertThat(heard.said).containsExactly("step repeating", "tool pen blue", "hello ", "Be kind.");
    }

    @Test
    void what_it_fails_at_and_what_it_asks_is_told() throws Exception {
        assertThatThrownBy(() -> answer("fail"))
                .isInstanceOf(AgentFailure.class)
                .hasMessage("out of ink");
        assertThat(answer("ask").said).containsExactly("ask which?");
    }

    @Test
    void one_that_dies_fails_what_it_was_at_and_is_there_again_for_the_next_message() throws Exception {
        var waiting = Background.inBackground(() -> answer("hang"));

        assertThatThrownBy(() -> answer("die")).hasMessageStartingWith("the program ended with exit code 3");

        assertThatThrownBy(waiting::get).hasMessageContaining("the program ended with exit code 3");
        assertThat(answer("hello").said).contains("hello ");
    }

    @Test
    void one_that_writes_what_is_no_message_is_ended() throws Exception {
        assertThatThrownBy(() -> answer("chatter"))
                .hasMessage("the program wrote a line that is no JSON object with a type");
        assertThat(answer("hello").said).contains("hello ");
    }

    @Test
    void it_is_told_which_task_was_canceled() throws Exception {
        var hanging = new Thread(() -> {
            try {
                answer("hang");
            } catch (Exception asWanted) {
                // it is interrupted
            }
        });
        hanging.start();
        hanging.interrupt();
        hanging.join();

        assertThat(answer("canceled").said).containsExactly("hang");
    }

    private Heard answer(String text) throws Exception {
        var heard = new Heard();
        String task = text.equals("hang") ? text : UUID.randomUUID().toString();
        var message = JsonNodeFactory.instance.objectNode();
        agent.answer(new Prompt(task, "c", text, message, message), heard);
        return heard;
    }

    private static final class Heard implements Reply {
        private final List<String> said = new ArrayList<>();

        @Override
        public void chunk(String text) {
            said.add(text);
        }

        @Override
        public void text(String text) {
            said.add(text);
        }

        @Override
        public void ask(String question) {
            said.add("ask " + question);
        }

        @Override
        public void step(String what) {
            said.add("step " + what);
        }

        @Override
        public void used(ToolUse tool) {
            said.add("tool " + tool.tool() + " " + tool.outputPreview());
        }
    }
}
