package ai.molecule.runtime.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompactingConversationsTest {

    private final Compaction compaction = new Compaction();

    @Test
    void a_conversation_within_the_bound_is_told_as_it_is() {
        var messages = conversation(10, 1_000);

        assertThat(compaction.of(messages)).isEqualTo(messages);
    }

    @Test
    void of_a_long_one_the_oldest_answers_of_tools_are_left_out_and_the_last_stay() {
        var messages = conversation(50, 10_000);

        var told = compaction.of(messages);

        assertThat(told).hasSameSizeAs(messages);
        assertThat(told.getFirst()).isEqualTo(messages.getFirst());
        assertThat(text(told, 1)).startsWith("[10000 characters are left out of this older answer");
        assertThat(told.subList(40, 51)).isEqualTo(messages.subList(40, 51));
    }

    @Test
    void what_was_left_out_once_stays_so_while_the_conversation_grows_to_the_bound_again() {
        var messages = conversation(45, 10_000);
        var before = compaction.of(messages);

        messages.add(ToolExecutionResultMessage.from("c", "read", "x".repeat(10_000)));

        assertThat(compaction.of(messages).subList(0, before.size())).isEqualTo(before);
    }

    @Test
    void a_model_that_finds_it_too_long_gets_less_until_there_is_nothing_to_leave_out() {
        var messages = conversation(20, 5_000);

        assertThat(compaction.shrink(messages)).isTrue();
        assertThat(text(compaction.of(messages), 1)).startsWith("[5000 characters");
        assertThat(compaction.shrink(conversation(3, 5_000))).isFalse();
    }

    private static String text(List<ChatMessage> messages, int index) {
        return ((ToolExecutionResultMessage) messages.get(index)).text();
    }

    private static List<ChatMessage> conversation(int results, int chars) {
        List<ChatMessage> messages = new ArrayList<>(List.of(UserMessage.from("do it")));
        for (int i = 0; i < results; i++) {
            messages.add(ToolExecutionResultMessage.from("c" + i, "read", "x".repeat(chars)));
        }
        return messages;
    }
}
