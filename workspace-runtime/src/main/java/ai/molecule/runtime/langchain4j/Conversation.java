package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Said;
import ai.molecule.runtime.agent.StepJournal;
import ai.molecule.runtime.agent.TaskLimits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ChatMessageDeserializer;
import dev.langchain4j.data.message.ChatMessageSerializer;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What was said and done for one task: each turn of the model and each answer of a tool is kept before anything follows from it, and found
 * again when the task goes on after a question, a wait or the agent's end.
 */
final class Conversation {

    private static final String GO_ON =
            "You were interrupted here. Go on exactly where your words end, without repeating any.";

    /** In place of the call that asks. */
    private static final String STOPPED = " stopped";

    private final StepJournal steps;
    private final Compaction compaction = new Compaction();
    private final List<ChatMessage> messages = new ArrayList<>();
    private final Map<String, String> results = new HashMap<>(); // of the last turn's calls, by their ids
    private final Map<String, String> notes = new HashMap<>(); // by round and call
    private List<ToolExecutionRequest> calls = List.of();
    private boolean known; // whether the calls of the last turn were made before
    private String asked = "";
    private int task; // where in the messages it stands: behind what was said before
    private int rounds;
    private long tokens;
    private long micros; // -1 from the first turn on that nobody knows the cost of
    private int allowedRounds; // what had been taken when it last was told to go on
    private long allowedMicros;
    private String heard = "";
    private boolean spoken;
    private boolean cut;

    private Conversation(StepJournal steps) {
        this.steps = steps;
    }

    /**
     * The conversation so far; when a question was asked last, {@code text} is the answer to it.
     *
     * @param beginning what it begins with when there is none
     */
    static Conversation of(StepJournal steps, String text, Supplier<List<ChatMessage>> beginning) {
        var conversation = new Conversation(steps);
        steps.done().forEach(conversation::replay);
        if (conversation.messages.isEmpty()) {
            List<ChatMessage> begun = beginning.get();
            conversation.begin(begun);
            conversation.keep(step().put("messages", ChatMessageSerializer.messagesToJson(begun)), "");
        }
        conversation.known = true;
        if (conversation.asked.equals(STOPPED)) {
            conversation.goesOn(text);
        } else if (!conversation.asked.isEmpty()) {
            conversation.answered(conversation.asked, text);
        }
        return conversation;
    }

    /** What the model is told first, what was said before, and what it is asked. @param asked the words of the prompt as the model reads them */
    static List<ChatMessage> beginning(String briefing, Prompt prompt, String asked) {
        List<ChatMessage> messages = new ArrayList<>();
        if (!briefing.isEmpty()) {
            messages.add(SystemMessage.from(briefing));
        }
        for (Said said : Said.before(prompt)) {
            messages.add(said.byUser() ? UserMessage.from(said.text()) : AiMessage.from(said.text()));
        }
        messages.add(UserMessage.from(asked));
        return messages;
    }

    /** As the model is told it. */
    synchronized List<ChatMessage> messages() {
        compaction.shorten(messages, task);
        return List.copyOf(messages);
    }

    /** The model found it too long: whether it is shorter now. */
    synchronized boolean shrink() {
        return compaction.shrink(messages, task);
    }

    /** Turns of the model. */
    int rounds() {
        return rounds;
    }

    /** What its endpoint counted of them; turns that were not counted cost nothing here. */
    long tokens() {
        return tokens;
    }

    /** What they cost, in millionths of a dollar; -1 where nobody knows of one of them. */
    long micros() {
        return micros;
    }

    /** What is to be asked because it took as much as it may since it was last allowed to; else empty. */
    String limit(TaskLimits limits) {
        return limits.question(rounds - allowedRounds, micros - allowedMicros, micros);
    }

    /** Waits for words of whoever gave the task before the calls of the last turn are made. */
    synchronized void stops() {
        keep(step().put("stops", true), "");
    }

    private void goesOn(String text) {
        keep(step().put("goes_on", text), "");
        allowed(text);
    }

    private void allowed(String text) {
        asked = "";
        allowedRounds = rounds;
        allowedMicros = Math.max(0, micros);
        heard = text;
        known = false; // the calls of the last turn were not made
    }

    /** Whether the model said anything. */
    boolean spoken() {
        return spoken;
    }

    /** Whether the model has spoken last, and wants nothing more. */
    boolean isOver() {
        return rounds > 0 && messages.getLast() instanceof AiMessage && calls.isEmpty();
    }

    /** The calls of the last turn that have no answer. */
    synchronized List<ToolExecutionRequest> open() {
        return calls.stream().filter(call -> !results.containsKey(call.id())).toList();
    }

    /** Whether they were begun before the task was taken up again, and may have been done. */
    boolean mayHaveBeenMade() {
        return known;
    }

    /**
     * The model was stopped while it spoke: it goes on behind what it said. False when that cannot be kept, and then nothing is
     * remembered.
     */
    synchronized boolean cutOff(SpokenAnswer turn) {
        String said = turn.said();
        if (!steps.keep(step().put("cut", said), said)) {
            return false;
        }
        cut(said);
        return true;
    }

    /** Whether the model goes on in the middle of what it says. */
    boolean isCut() {
        return cut;
    }

    /** The model has spoken; its calls are open now. */
    synchronized void spoke(SpokenAnswer turn, long cost) {
        AiMessage remembered = turn.asRemembered();
        keep(
                step().put("turn", ChatMessageSerializer.messageToJson(remembered))
                        .put("tokens", turn.tokens())
                        .put("micros", cost),
                turn.said());
        known = false;
        add(remembered, turn.calls(), turn.tokens(), cost);
    }

    /** A tool has answered. Once every call has, the answers are said in the order of the calls. */
    synchronized void answered(String callId, String text) {
        keep(step().put("result", callId).put("text", text), "");
        result(callId, text);
    }

    /** The call waits for words of whoever gave the task. */
    synchronized void asks(ToolExecutionRequest call) {
        keep(step().put("asks", call.id()), "");
    }

    synchronized Optional<String> note(String callId) {
        return Optional.ofNullable(notes.get(rounds + ":" + callId));
    }

    /** Whether the note is kept. */
    synchronized boolean note(String callId, String text) {
        notes.put(rounds + ":" + callId, text);
        return steps.keep(step().put("note", callId).put("text", text), "");
    }

    private void begin(List<ChatMessage> begun) {
        messages.addAll(begun);
        task = messages.size() - 1;
    }

    private void replay(JsonNode step) {
        if (step.has("messages")) {
            begin(ChatMessageDeserializer.messagesFromJson(step.path("messages").asText()));
        } else if (step.has("turn")) {
            var turn = (AiMessage)
                    ChatMessageDeserializer.messageFromJson(step.path("turn").asText());
            add(
                    turn,
                    turn.toolExecutionRequests(),
                    step.path("tokens").asLong(),
                    step.path("micros").asLong(-1));
        } else if (step.has("cut")) {
            cut(step.path("cut").asText());
        } else if (step.has("result")) {
            result(step.path("result").asText(), step.path("text").asText());
        } else if (step.has("asks")) {
            asked = step.path("asks").asText();
        } else if (step.has("stops")) {
            asked = STOPPED;
        } else if (step.has("goes_on")) {
            allowed(step.path("goes_on").asText());
        } else if (step.has("note")) {
            notes.put(
                    rounds + ":" + step.path("note").asText(), step.path("text").asText());
        }
    }

    /** @param made as the model made them: it is reminded of arguments that can be read */
    private void add(AiMessage turn, List<ToolExecutionRequest> made, long counted, long cost) {
        boolean hasWords = turn.text() != null && !turn.text().isEmpty();
        if (hasWords || !made.isEmpty()) {
            messages.add(turn);
        }
        cut = false;
        rounds++;
        tokens += counted;
        micros = micros < 0 || cost < 0 ? -1 : micros + cost;
        spoken |= hasWords;
        calls = List.copyOf(made);
        results.clear();
        asked = "";
    }

    private void cut(String said) {
        if (!said.isBlank()) {
            messages.add(AiMessage.from(said.strip()));
            messages.add(UserMessage.from(GO_ON));
            spoken = true;
            cut = true;
        }
    }

    private void result(String callId, String text) {
        results.put(callId, text);
        if (callId.equals(asked)) {
            asked = "";
        }
        if (!calls.isEmpty() && open().isEmpty()) {
            for (var call : calls) {
                messages.add(ToolExecutionResultMessage.from(call, Objects.requireNonNull(results.get(call.id()))));
            }
            calls = List.of();
            if (!heard.isBlank()) {
                messages.add(UserMessage.from(heard)); // behind the answers, where models take it
                heard = "";
            }
        }
    }

    private void keep(ObjectNode step, String said) {
        boolean _ = steps.keep(step, said); // what cannot be kept is not gone on with later, and goes on now
    }

    private static ObjectNode step() {
        return JsonNodeFactory.instance.objectNode();
    }
}
