package ai.molecule.runtime.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompactingConversationsTest {

    private final Compaction compaction = new Compaction();

    @Test
    void a_conversation_within_the_bound_is_told_as_it_is() {
        var messages = conversation(10, 10, 1_000);

        assertThat(shortened(messages)).isEqualTo(messages);
    }

    @Test
    void of_a_long_one_the_oldest_answers_of_tools_are_left_out_and_the_last_stay() {
        var messages = conversation(50, 10, 10_000);

        var told = shortened(messages);

        assertThat(told).hasSameSizeAs(messages);
        assertThat(told.getFirst()).isEqualTo(messages.getFirst());
        assertThat(answer(told, 0)).startsWith("[10000 characters are left out of this older answer");
        assertThat(told.subList(80, 101)).isEqualTo(messages.subList(80, 101));
    }

    @Test
    void what_was_left_out_once_stays_so_while_the_conversation_grows_to_the_bound_again() {
        var before = shortened(conversation(45, 10, 10_000));
        var messages = new ArrayList<>(before);
        step(messages, 45, 10, 10_000);

        assertThat(shortened(messages).subList(0, before.size())).isEqualTo(before);
    }

    @Test
    void long_arguments_of_older_calls_are_left_out_and_stay_arguments() throws Exception {
        var messages = conversation(10, 100_000, 10);

        var told = shortened(messages);

        var call = ((AiMessage) told.get(1)).toolExecutionRequests().getFirst();
        var arguments = new ObjectMapper().readTree(call.arguments());
        assertThat(arguments.path("path").asText()).isEqualTo("a.txt");
        assertThat(arguments.at("/more/0/content").asText())
                .isEqualTo("[100000 characters are left out of this older call]");
        assertThat(call.id()).isEqualTo("c0");
        assertThat(told.subList(19, 21)).as("the last turn").isEqualTo(messages.subList(19, 21));
    }

    @Test
    void when_that_is_not_enough_what_was_said_before_the_task_goes_and_then_all_but_the_last_turn() {
        List<ChatMessage> messages = new ArrayList<>(List.of(
                SystemMessage.from("s".repeat(9_000)),
                UserMessage.from("u".repeat(150_000)),
                AiMessage.from("a".repeat(150_000)),
                UserMessage.from("t".repeat(9_000))));
        step(messages, 0, 10, 60_000);
        step(messages, 1, 10, 60_000);
        var whole = List.copyOf(messages);

        compaction.shorten(messages, 3);

        assertThat(messages.get(1))
                .isEqualTo(UserMessage.from("[150000 characters of this earlier message are left out]"));
        assertThat(messages.get(2))
                .isEqualTo(AiMessage.from("[150000 characters of this earlier message are left out]"));
        assertThat(messages.getFirst()).isEqualTo(whole.getFirst());
        assertThat(messages.subList(3, 8)).isEqualTo(whole.subList(3, 8));
        assertThat(compaction.shrink(messages, 3)).isTrue();
        assertThat(messages.get(3)).as("the task").isEqualTo(whole.get(3));
        assertThat(((ToolExecutionResultMessage) messages.get(5)).text()).startsWith("[60000 characters");
        assertThat(messages.subList(6, 8)).as("the last turn").isEqualTo(whole.subList(6, 8));
        assertThat(compaction.shrink(messages, 3)).isFalse();
    }

    @Test
    void a_model_that_finds_it_too_long_gets_less_until_there_is_nothing_to_leave_out() {
        var messages = conversation(20, 10, 5_000);

        assertThat(compaction.shrink(messages, 0)).isTrue();
        assertThat(answer(messages, 0)).startsWith("[5000 characters");
        assertThat(compaction.shrink(conversation(1, 10, 5_000), 0)).isFalse();
    }

    private List<ChatMessage> shortened(List<ChatMessage> messages) {
        List<ChatMessage> told = new ArrayList<>(messages);
        compaction.shorten(told, 0);
        return told;
    }

    private static String answer(List<ChatMessage> messages, int step) {
        return ((ToolExecutionResultMessage) messages.get(2 + 2 * step)).text();
    }

    private static List<ChatMessage> conversation(int steps, int argumentChars, int answerChars) {
        List<ChatMessage> messages = new ArrayList<>(List.of(UserMessage.from("do it")));
        for (int i = 0; i < steps; i++) {
            step(messages, i, argumentChars, answerChars);
        }
        return messages;
    }

    private static void step(List<ChatMessage> messages, int number, int argumentChars, int answerChars) {
        var call = ToolExecutionRequest.builder()
                .id("c" + number)
                .name("write")
                .arguments("{\"path\":\"a.txt\",\"more\":[{\"content\":\"" + "y".repeat(argumentChars) + "\"}]}")
                .build();
        messages.add(AiMessage.from(call));
        messages.add(ToolExecutionResultMessage.from(call, "x".repeat(answerChars)));
    }
}
