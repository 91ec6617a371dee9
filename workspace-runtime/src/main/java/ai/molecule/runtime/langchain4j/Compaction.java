package ai.molecule.runtime.langchain4j;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Shortens long conversations, in place: what is left out is kept no longer. First go answers of tools and long arguments of their calls, the
 * oldest first, but for the last {@value #LEFT_ALONE}; then what was said before the task; then what tools did up to the last turn. The briefing,
 * the task, the last turn and the model's own words stay. It shortens to half of what is too much, so that a model's cache of the beginning holds
 * for many turns.
 */
final class Compaction {

    /** About 100,000 tokens. */
    static final int CHARS_MAX = 400_000;

    static final int LEFT_ALONE = 4;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int WORTH_CHARS = 500;

    private int charsMax = CHARS_MAX;

    /** @param task where in the conversation the task stands; what is before it was said earlier */
    void shorten(List<ChatMessage> messages, int task) {
        int size = size(messages);
        if (size > charsMax) {
            for (int index : dispensable(messages, task)) {
                if (size <= charsMax / 2) {
                    return;
                }
                ChatMessage whole = messages.get(index);
                ChatMessage brief = brief(whole);
                size += size(brief) - size(whole);
                messages.set(index, brief);
            }
        }
    }

    /** The model found it too long: whether it is shorter now. */
    boolean shrink(List<ChatMessage> messages, int task) {
        int before = size(messages);
        charsMax = Math.min(charsMax, before - 1);
        shorten(messages, task);
        return size(messages) < before;
    }

    /** What can be left out, the most dispensable first. */
    private static Set<Integer> dispensable(List<ChatMessage> messages, int task) {
        int lastTurn = 0;
        List<Integer> answers = new ArrayList<>();
        for (int i = task; i < messages.size(); i++) {
            if (messages.get(i) instanceof AiMessage turn && turn.hasToolExecutionRequests()) {
                lastTurn = i;
            } else if (messages.get(i) instanceof ToolExecutionResultMessage) {
                answers.add(i);
            }
        }
        int recent = answers.size() <= LEFT_ALONE ? 0 : answers.get(answers.size() - LEFT_ALONE);
        Set<Integer> found = new LinkedHashSet<>();
        addToolsIn(messages, task, Math.min(recent, lastTurn), found);
        for (int i = 0; i < task; i++) {
            if (messages.get(i) instanceof UserMessage || messages.get(i) instanceof AiMessage) {
                found.add(i);
            }
        }
        addToolsIn(messages, task, lastTurn, found);
        return found;
    }

    private static void addToolsIn(List<ChatMessage> messages, int from, int to, Set<Integer> found) {
        for (int i = from + 1; i < to; i++) {
            if (messages.get(i) instanceof ToolExecutionResultMessage
                    || messages.get(i) instanceof AiMessage turn && turn.hasToolExecutionRequests()) {
                found.add(i);
            }
        }
    }

    private static ChatMessage brief(ChatMessage message) {
        return switch (message) {
            case ToolExecutionResultMessage result
            when result.text().length() > WORTH_CHARS ->
                ToolExecutionResultMessage.from(
                        result.id(),
                        result.toolName(),
                        "[" + result.text().length()
                                + " characters are left out of this older answer; call the tool again if you need them]");
            case AiMessage turn
            when turn.hasToolExecutionRequests() ->
                turn.toBuilder()
                        .toolExecutionRequests(turn.toolExecutionRequests().stream()
                                .map(Compaction::brief)
                                .toList())
                        .build();
            case AiMessage said
            when said.text() != null && said.text().length() > WORTH_CHARS -> AiMessage.from(leftOut(said.text()));
            case UserMessage said
            when said.hasSingleText() && said.singleText().length() > WORTH_CHARS ->
                UserMessage.from(leftOut(said.singleText()));
            default -> message;
        };
    }

    private static ToolExecutionRequest brief(ToolExecutionRequest call) {
        if (call.arguments() == null || call.arguments().length() <= WORTH_CHARS) {
            return call;
        }
        try {
            return call.toBuilder()
                    .arguments(brief(JSON.readTree(call.arguments())).toString())
                    .build();
        } catch (JsonProcessingException notJson) {
            return call.toBuilder().arguments("{}").build();
        }
    }

    /** Of the same form, so that a model's endpoint takes it: only long texts in it are replaced. */
    private static JsonNode brief(JsonNode node) {
        if (node.isTextual() && node.textValue().length() > WORTH_CHARS) {
            return TextNode.valueOf("[" + node.textValue().length() + " characters are left out of this older call]");
        }
        if (node instanceof ObjectNode object) {
            object.properties().forEach(each -> each.setValue(brief(each.getValue())));
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, brief(array.get(i)));
            }
        }
        return node;
    }

    private static String leftOut(String text) {
        return "[" + text.length() + " characters of this earlier message are left out]";
    }

    private static int size(List<ChatMessage> messages) {
        return messages.stream().mapToInt(Compaction::size).sum();
    }

    private static int size(ChatMessage message) {
        return message instanceof ToolExecutionResultMessage result
                ? result.text().length()
                : message.toString().length();
    }
}
