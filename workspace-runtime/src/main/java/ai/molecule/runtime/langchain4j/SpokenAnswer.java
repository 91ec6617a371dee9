package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.Reply;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Passes the model's words on as they come; what ends them first, a failure or the end, is what counts. */
final class SpokenAnswer implements StreamingChatResponseHandler {

    private final Reply reply;
    private boolean spoken;
    private boolean over;
    private @Nullable RuntimeException refusal;
    private @Nullable Throwable failure;

    SpokenAnswer(Reply reply) {
        this.reply = reply;
    }

    @Override
    public void onPartialResponse(PartialResponse partial, PartialResponseContext context) {
        if (over) {
            return;
        }
        try {
            reply.chunk(partial.text());
            spoken = true;
        } catch (RuntimeException nobodyTakesMore) {
            over = true;
            refusal = nobodyTakesMore;
            context.streamingHandle().cancel();
        }
    }

    @Override
    public void onCompleteResponse(ChatResponse response) {
        if (response.finishReason() == null) {
            onError(new IOException("the answer broke off"));
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
        return spoken;
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
}
