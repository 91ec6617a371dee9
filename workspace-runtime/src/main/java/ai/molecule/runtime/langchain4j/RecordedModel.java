package ai.molecule.runtime.langchain4j;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import dev.langchain4j.model.output.FinishReason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * A model whose turns are recorded: tools, files, approvals and restarts around it are as real as ever, and no provider is asked. Which turn
 * is due follows from the conversation alone, so an agent that is begun again goes on where it was. A turn whose calls may have been made
 * by an agent that ended is made again, once it has looked.
 */
final class RecordedModel implements StreamingChatModel {

    /** Before the name of a file beside {@code config.yaml}. */
    static final String PREFIX = "recorded:";

    /** What the platform tells an agent by itself after a restart begins so. */
    private static final String NEWS = "=== ";

    private static final String INTERRUPTED = "Error: the agent was restarted while this ran";

    /**
     * {@code {{2.1}}}: what the first call of the second turn was answered; {@code {{2.1:x=(\d+)}}}: the group of it; {@code {{2.1!^x}}}: its
     * lines in which that is not found; {@code {{task}}}: what was asked, the same ways. A pattern has at most 500 characters.
     */
    private static final Pattern ANSWER =
            Pattern.compile("\\{\\{(\\d+\\.\\d+|task)(?:([:!])(.{0,500}?))?\\}\\}", Pattern.DOTALL);

    private static final StreamingHandle NONE = new StreamingHandle() {
        @Override
        public void cancel() {}

        @Override
        public boolean isCancelled() {
            return false;
        }
    };

    private final Recording recording;

    RecordedModel(Recording recording) {
        this.recording = recording;
    }

    @Override
    public void chat(ChatRequest request, StreamingChatResponseHandler handler) {
        var messages = request.messages();
        int task = lastUser(messages);
        if (((UserMessage) messages.get(task)).singleText().startsWith(NEWS)) {
            say("I am back, and go on when I am asked.", handler);
            handler.onCompleteResponse(ended(AiMessage.from("I am back, and go on when I am asked.")));
            return;
        }
        var place = Place.in(messages, task, recording);
        if (place.turn >= recording.turns().size()) {
            say("The recording ends here.", handler);
            handler.onCompleteResponse(ended(AiMessage.from("The recording ends here.")));
            return;
        }
        var turn = recording.turns().get(place.turn);
        try {
            Thread.sleep(turn.pause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            handler.onError(stopped);
            return;
        }
        String words = place.looks ? "" : place.filled(String.join("\n", turn.words()));
        List<ToolExecutionRequest> calls = new ArrayList<>();
        for (var call : place.looks ? turn.looks() : turn.calls()) {
            calls.add(ToolExecutionRequest.builder()
                    .id("call_" + messages.size() + "_" + calls.size())
                    .name(call.tool())
                    .arguments(place.filled(call.arguments()).toString())
                    .build());
        }
        say(words, handler);
        handler.onCompleteResponse(ended(calls.isEmpty() ? AiMessage.from(words) : AiMessage.from(words, calls)));
    }

    private static void say(String words, StreamingChatResponseHandler handler) {
        if (!words.isEmpty()) {
            handler.onPartialResponse(new PartialResponse(words), new PartialResponseContext(NONE));
        }
    }

    private static ChatResponse ended(AiMessage said) {
        return ChatResponse.builder()
                .aiMessage(said)
                .finishReason(said.hasToolExecutionRequests() ? FinishReason.TOOL_EXECUTION : FinishReason.STOP)
                .build();
    }

    private static int lastUser(List<ChatMessage> messages) {
        int last = messages.size() - 1;
        while (!(messages.get(last) instanceof UserMessage)) {
            last--;
        }
        return last;
    }

    /**
     * Where in a recording a conversation is.
     *
     * @param turn the one that is due, from 0
     * @param looks whether it looks first
     * @param answers by turn and call, both from 1
     */
    private record Place(int turn, boolean looks, Map<String, String> answers) {

        static Place in(List<ChatMessage> messages, int task, Recording recording) {
            var said = messages.subList(task + 1, messages.size());
            Map<String, String> answers = new HashMap<>();
            answers.put("task", ((UserMessage) messages.get(task)).singleText());
            int turn = 0;
            boolean looks = false;
            for (int i = 0; i < said.size(); i++) {
                if (!(said.get(i) instanceof AiMessage)) {
                    continue;
                }
                boolean interrupted = false;
                for (int call = 1;
                        i + call < said.size() && said.get(i + call) instanceof ToolExecutionResultMessage answer;
                        call++) {
                    interrupted |= answer.text().startsWith(INTERRUPTED);
                    if (!looks) {
                        answers.put((turn + 1) + "." + call, answer.text());
                    }
                }
                if (looks) {
                    looks = false;
                } else if (interrupted) {
                    looks = turn < recording.turns().size()
                            && !recording.turns().get(turn).looks().isEmpty();
                } else {
                    turn++;
                }
            }
            return new Place(turn, looks, answers);
        }

        JsonNode filled(JsonNode node) {
            return switch (node) {
                case TextNode text -> TextNode.valueOf(filled(text.textValue()));
                case ObjectNode object -> {
                    var filled = object.objectNode();
                    object.properties().forEach(each -> filled.set(each.getKey(), filled(each.getValue())));
                    yield filled;
                }
                case ArrayNode array -> {
                    var filled = array.arrayNode();
                    array.forEach(each -> filled.add(filled(each)));
                    yield filled;
                }
                default -> node;
            };
        }

        String filled(String text) {
            return ANSWER.matcher(text).replaceAll(found -> {
                String answer = answers.getOrDefault(found.group(1), "");
                return Matcher.quoteReplacement(found.group(3) == null ? answer : part(found, answer));
            });
        }

        private static String part(MatchResult placeholder, String answer) {
            try {
                var pattern = Pattern.compile(placeholder.group(3), Pattern.MULTILINE);
                if (placeholder.group(2).equals("!")) {
                    return answer.lines()
                            .filter(line -> !pattern.matcher(line).find())
                            .collect(Collectors.joining("\n"));
                }
                var found = pattern.matcher(answer);
                return found.find() && found.groupCount() > 0 ? String.valueOf(found.group(1)) : "";
            } catch (PatternSyntaxException wrong) {
                return "";
            }
        }
    }
}
