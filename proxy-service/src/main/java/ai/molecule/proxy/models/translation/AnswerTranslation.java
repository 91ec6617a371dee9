package ai.molecule.proxy.models.translation;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.proxy.models.translation.SpokenProtocol.Telling;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One answer on its way from the protocol of its provider to that of the caller: a stream event by event, what comes whole at its end.
 * Every failure is BAD_GATEWAY or UNAVAILABLE, and the last thing that is said. To be used on one event loop, and released.
 */
public final class AnswerTranslation {

    private static final String DONE = "[DONE]";

    private final SpokenProtocol from;
    private final SpokenProtocol to;
    private final boolean streams;
    private final Telling telling;
    private final HeldAnswers held;
    private final EventReader reader;
    private final EventWriter writer;
    private Buffer whole = Buffer.buffer();
    private long holds;
    private boolean begun;
    private boolean ended;

    /**
     * @param tellsUsage as {@link RequestTranslation} says
     * @param usage as far as it is known when asked
     * @param atSeconds when the call began, since 1970
     */
    public AnswerTranslation(
            SpokenProtocol from,
            SpokenProtocol to,
            boolean streams,
            boolean tellsUsage,
            Supplier<ModelUsage> usage,
            long atSeconds,
            HeldAnswers held) {
        this.from = from;
        this.to = to;
        this.streams = streams;
        this.telling = new Telling(tellsUsage, usage, atSeconds);
        this.held = held;
        this.reader = from.eventReader();
        this.writer = to.eventWriter(telling);
    }

    /** Whether the caller asked for a stream. */
    public boolean streams() {
        return streams;
    }

    /**
     * An event as the caller reads it, which may be several, or none.
     *
     * @param data the object in it; null when there is none
     */
    public Buffer event(Buffer event, @Nullable JsonNode data) {
        if (ended) {
            return Buffer.buffer();
        }
        var out = new StringBuilder();
        if (data != null) {
            reader.read(data, said -> write(said, out));
        } else {
            String text = event.toString();
            if (text.contains("data:")) {
                if (!text.contains(DONE)) {
                    throw NotTranslated.answer("sent an event that is no JSON");
                }
                reader.ends(said -> write(said, out));
            }
        }
        if (out.isEmpty()) {
            out.append(": \n\n"); // a comment, as a sign of life
        }
        hold(reader.heldBytes() + writer.heldBytes());
        return Buffer.buffer(out.toString());
    }

    /** After the last event. Throws when the answer was not over then. */
    public Buffer ends() {
        var out = new StringBuilder();
        if (!ended) {
            reader.ends(said -> write(said, out));
        }
        if (!ended) {
            throw NotTranslated.answer("broke off in the middle of its answer");
        }
        return Buffer.buffer(out.toString());
    }

    private void write(NeutralEvent event, StringBuilder out) {
        if (!begun && !(event instanceof NeutralEvent.Begin)) {
            begun = true;
            writer.write(new NeutralEvent.Begin("", ""), out);
        }
        begun = true;
        if (!ended) {
            ended = event instanceof NeutralEvent.End;
            writer.write(event, out);
        }
    }

    /** A piece of an answer that comes whole. */
    public void keep(Buffer chunk) {
        hold(holds + chunk.length());
        whole.appendBuffer(chunk);
    }

    /** All that was kept, as the caller reads it. */
    public Buffer whole() {
        var tree = TreeReader.read(whole.getBytes());
        whole = Buffer.buffer();
        return Json.buffer(to.writeAnswer(
                from.readAnswer(tree.orElseThrow(() -> NotTranslated.answer("answered with what is no JSON"))),
                telling));
    }

    /** What is kept is needed no more. */
    public void release() {
        held.release(holds);
        holds = 0;
        whole = Buffer.buffer();
    }

    private void hold(long now) {
        held.change(holds, now);
        holds = now;
    }

    /**
     * What a provider says instead of an answer.
     *
     * @param status the caller gets it as well
     */
    public static ApiError error(String provider, int status, Buffer body) {
        JsonNode said = TreeReader.read(body.getBytes())
                .map(tree -> tree.path("error"))
                .filter(JsonNode::isObject)
                .orElseGet(Json::object);
        String message = said.path("message").asText("");
        String code = said.path("code").asText(said.path("type").asText(""));
        return new ApiError(
                kind(status),
                message.isEmpty() ? "provider %s refused the call (%d)".formatted(provider, status) : message,
                code.isEmpty() ? Map.of() : Map.of("code", code));
    }

    private static ApiError.Kind kind(int status) {
        return switch (status) {
            case 402 -> ApiError.Kind.BUDGET_EXCEEDED;
            case 404 -> ApiError.Kind.NOT_FOUND;
            case 413 -> ApiError.Kind.TOO_LARGE;
            case 429 -> ApiError.Kind.RATE_LIMITED;
            case 503, 529 -> ApiError.Kind.UNAVAILABLE;
            case 504 -> ApiError.Kind.TIMED_OUT;
            default -> status >= 500 ? ApiError.Kind.BAD_GATEWAY : ApiError.Kind.INVALID;
        };
    }
}
