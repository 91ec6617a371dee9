package ai.molecule.runtime.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.agent.NotReady;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A recorded model says the turn that is due by the conversation, and makes again what may not have been done. */
class PlayingRecordingsTest {

    private static final String RECORDING = """
            # a comment
            == 0 ms
            say I look.
            call list {}
            == 0 ms
            call write {"path":"a.txt"}
            | It holds:
            |
            | {{1.1:^(\\w+)/$}}
            look read {"path":"a.txt"}
            == 0 ms
            say Done.
            """;

    private final List<ChatMessage> talk = new ArrayList<>(List.of(UserMessage.from("go")));

    @Test
    void its_turns_follow_each_other_with_what_tools_answered_in_them() {
        assertThat(turn("b.txt 3 bytes\nsrc/")).isEqualTo("I look. list {}");
        assertThat(turn("Written")).isEqualTo(" write {\"path\":\"a.txt\",\"text\":\"It holds:\\n\\nsrc\\n\"}");
        assertThat(turn("")).isEqualTo("Done.");
    }

    @Test
    void a_turn_that_may_have_been_done_is_looked_after_and_made_again() {
        turn("src/");
        String written = turn("Error: the agent was restarted while this ran: it may have been done");

        assertThat(turn("no such file")).isEqualTo(" read {\"path\":\"a.txt\"}");
        assertThat(turn("Written")).isEqualTo(written);
        assertThat(turn("")).isEqualTo("Done.");
    }

    @Test
    void what_the_platform_tells_after_a_restart_begins_nothing() {
        talk.set(0, UserMessage.from("=== you were restarted"));

        assertThat(turn("")).isEqualTo("I am back, and go on when I am asked.");
    }

    @Test
    void a_file_that_is_none_names_its_line() {
        assertThatThrownBy(() -> Recording.of("== 0 ms\ncall list [1]", "lead.txt"))
                .isInstanceOf(NotReady.class)
                .hasMessageContaining("lead.txt, line 2,");
        assertThatThrownBy(() -> Recording.of("say hello", "lead.txt")).hasMessageContaining("line 1");
    }

    /** Lets the model speak, and answers its calls. */
    private String turn(String answer) {
        var said = new StringBuilder();
        new RecordedModel(Recording.of(RECORDING, "x"))
                .chat(ChatRequest.builder().messages(talk).build(), new StreamingChatResponseHandler() {
                    @Override
                    public void onPartialResponse(String words) {
                        said.append(words);
                    }

                    @Override
                    public void onCompleteResponse(ChatResponse response) {
                        AiMessage message = response.aiMessage();
                        talk.add(message);
                        message.toolExecutionRequests().forEach(call -> {
                            said.append(" ").append(call.name()).append(" ").append(call.arguments());
                            talk.add(ToolExecutionResultMessage.from(call, answer));
                        });
                    }

                    @Override
                    public void onError(Throwable error) {
                        throw new AssertionError(error);
                    }
                });
        return said.toString();
    }
}
