package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.tools.Asking;
import ai.molecule.runtime.tools.ToolSpec;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Conversations in which the model has asked whoever gave it the task, by task, until the answer comes. Of more than {@value #KEPT_MAX}, or
 * {@value #CHARS_MAX} characters, the oldest are forgotten, and all of them at a restart: the answer then begins a conversation of its own.
 */
final class OpenQuestions {

    static final int KEPT_MAX = 64;
    static final int CHARS_MAX = 4_000_000;

    private record Open(List<ChatMessage> messages, ToolExecutionRequest call, int chars) {}

    private final SequencedMap<String, Open> byTask = new LinkedHashMap<>();
    private int chars;

    /** The call that asks, when one does and may. */
    static Optional<ToolExecutionRequest> in(List<ToolExecutionRequest> calls, List<ToolSpec> offered) {
        return calls.stream()
                .filter(call -> call.name().equals(Asking.TOOL.name()) && offered.contains(Asking.TOOL))
                .filter(call -> !question(call).isEmpty())
                .findFirst();
    }

    /** Empty when there is none. */
    static String question(ToolExecutionRequest call) {
        return ToolCalls.arguments(call.arguments())
                .map(arguments -> arguments.path("question").asText("").strip())
                .orElse("");
    }

    synchronized void keep(String taskId, List<ChatMessage> messages, ToolExecutionRequest call) {
        int size = messages.stream()
                .mapToInt(message -> message.toString().length())
                .sum();
        byTask.put(taskId, new Open(List.copyOf(messages), call, size));
        chars += size;
        while (byTask.size() > KEPT_MAX || chars > CHARS_MAX) {
            chars -= byTask.pollFirstEntry().getValue().chars();
        }
    }

    /** The conversation with the answer in it; empty when nothing is known of one. */
    synchronized Optional<List<ChatMessage>> answered(String taskId, String answer) {
        Open open = byTask.remove(taskId);
        if (open == null) {
            return Optional.empty();
        }
        chars -= open.chars();
        List<ChatMessage> messages = new ArrayList<>(open.messages());
        messages.add(ToolExecutionResultMessage.from(open.call(), answer));
        return Optional.of(messages);
    }
}
