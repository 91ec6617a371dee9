package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.ModelTurn;
import ai.molecule.runtime.agent.Reply;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model says in one turn: its words are passed on as they come, the tools it calls are kept. What ends it first, a
 * failure or the end, is what counts.
 */
final class SpokenAnswer implements StreamingChatResponseHandler {

    private final Reply reply;
    private final String separator;
    private final StringBuilder words = new StringBuilder();
    private List<ToolExecutionRequest> calls = List.of();
    private long tokens;
    private long tokensIn;
    private long tokensOut;
    private boolean over;
    private @Nullable RuntimeException refusal;
    private @Nullable Throwable failure;

    /** @param separator goes before the first word */
    SpokenAnswer(Reply reply, String separator) {
        this.reply = reply;
        this.separator = separator;
    }

    @Override
    public void onPartialResponse(PartialResponse partial, PartialResponseContext context) {
        if (over || partial.text().isEmpty()) {
            return;
        }
        try {
            reply.chunk(spoken() ? partial.text() : separator + partial.text());
            words.append(partial.text());
        } catch (RuntimeException nobodyTakesMore) {
            over = true;
            refusal = nobodyTakesMore;
            context.streamingHandle().cancel();
        }
    }

    @Override
    public void onCompleteResponse(ChatResponse response) {
        var usage = response.tokenUsage();
        if (usage != null && usage.totalTokenCount() != null) {
            tokens = Math.max(0, usage.totalTokenCount());
            tokensIn = counted(usage.inputTokenCount());
            tokensOut = counted(usage.outputTokenCount());
        }
        if (response.finishReason() == null) {
            onError(new IOException("the answer broke off"));
        } else if (!over && response.aiMessage().hasToolExecutionRequests()) {
            calls = named(response.aiMessage().toolExecutionRequests());
        }
        over = true;
    }

    @Override
    public void onError(Throwable error) {
        if (!over) {
            over = true;
            failure = error;
        }
    }

    /** Whether the model said anything. */
    boolean spoken() {
        return !words.isEmpty();
    }

    /** What the answer has gained by it. */
    String said() {
        return spoken() ? separator + words : "";
    }

    /** As the endpoint counts them, in and out; 0 when it does not. */
    long tokens() {
        return tokens;
    }

    long tokensIn() {
        return tokensIn;
    }

    long tokensOut() {
        return tokensOut;
    }

    /** For whoever is told of it. */
    ModelTurn asTurn(String model) {
        return new ModelTurn(model, tokensIn, tokensOut);
    }

    private static long counted(@Nullable Integer tokens) {
        return tokens == null ? 0 : Math.max(0, tokens);
    }

    /** The tools it wants to be called; each has an id of its own. */
    List<ToolExecutionRequest> calls() {
        return calls;
    }

    /**
     * The turn as the model is reminded of it. Arguments that were no JSON object are left out: many endpoints refuse a
     * conversation that has such in it.
     */
    AiMessage asRemembered() {
        List<ToolExecutionRequest> readable = calls.stream()
                .map(call -> ToolCalls.arguments(call.arguments())
                        .map(arguments -> call.toBuilder().arguments(arguments.toString()))
                        .orElseGet(() -> call.toBuilder().arguments("{}"))
                        .build())
                .toList();
        if (readable.isEmpty()) {
            return AiMessage.from(words.toString());
        }
        return spoken() ? AiMessage.from(words.toString(), readable) : AiMessage.from(readable);
    }

    /** What the reply threw, or null. */
    @Nullable
    RuntimeException refusal() {
        return refusal;
    }

    /** What went wrong with the call, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Endpoints leave out ids and names, or give one id to all: an answer must still find its call. */
    private static List<ToolExecutionRequest> named(List<ToolExecutionRequest> calls) {
        List<ToolExecutionRequest> named = new ArrayList<>();
        for (var call : calls) {
            boolean known = call.id() == null
                    || call.id().isBlank()
                    || named.stream().anyMatch(other -> other.id().equals(call.id()));
            named.add(ToolExecutionRequest.builder()
                    .id(known ? "call_" + (named.size() + 1) : call.id())
                    .name(call.name() == null || call.name().isBlank() ? "unnamed" : call.name())
                    .arguments(call.arguments() == null ? "" : call.arguments())
                    .build());
        }
        return List.copyOf(named);
    }
}
