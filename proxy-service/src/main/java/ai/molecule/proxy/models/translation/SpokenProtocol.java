package ai.molecule.proxy.models.translation;

import ai.molecule.common.models.ModelUsage;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** The protocols that are translated into each other, each with who reads and who writes it. */
public enum SpokenProtocol {
    CHAT(
            ChatRequests::read,
            ChatRequests::write,
            ChatAnswers::read,
            ChatAnswers::write,
            ChatEventReader::new,
            ChatEventWriter::new),
    RESPONSES(
            ResponsesRequests::read,
            ResponsesRequests::write,
            ResponsesAnswers::read,
            ResponsesAnswers::write,
            ResponsesEventReader::new,
            ResponsesEventWriter::new),
    MESSAGES(
            MessagesRequests::read,
            MessagesRequests::write,
            MessagesAnswers::read,
            MessagesAnswers::write,
            MessagesEventReader::new,
            MessagesEventWriter::new);

    /**
     * What an answer says beside what the model wrote.
     *
     * @param tellsUsage whether the caller asked for it in a stream of chat completions
     * @param usage as far as it is known when asked
     * @param atSeconds when it began, since 1970
     */
    record Telling(boolean tellsUsage, Supplier<ModelUsage> usage, long atSeconds) {}

    private final Function<ObjectNode, NeutralRequest> requestReader;
    private final BiFunction<NeutralRequest, String, ObjectNode> requestWriter;
    private final Function<JsonNode, NeutralAnswer> answerReader;
    private final BiFunction<NeutralAnswer, Telling, ObjectNode> answerWriter;
    private final Supplier<EventReader> eventReader;
    private final Function<Telling, EventWriter> eventWriter;

    SpokenProtocol(
            Function<ObjectNode, NeutralRequest> requestReader,
            BiFunction<NeutralRequest, String, ObjectNode> requestWriter,
            Function<JsonNode, NeutralAnswer> answerReader,
            BiFunction<NeutralAnswer, Telling, ObjectNode> answerWriter,
            Supplier<EventReader> eventReader,
            Function<Telling, EventWriter> eventWriter) {
        this.requestReader = requestReader;
        this.requestWriter = requestWriter;
        this.answerReader = answerReader;
        this.answerWriter = answerWriter;
        this.eventReader = eventReader;
        this.eventWriter = eventWriter;
    }

    /** Throws INVALID for what only this protocol can say. */
    NeutralRequest readRequest(ObjectNode body) {
        return requestReader.apply(body);
    }

    /**
     * Throws INVALID for what this protocol cannot say.
     *
     * @param outputLimit what the provider calls the limit of a chat completion's output
     */
    ObjectNode writeRequest(NeutralRequest request, String outputLimit) {
        return requestWriter.apply(request, outputLimit);
    }

    /** Throws BAD_GATEWAY for what is no answer. */
    NeutralAnswer readAnswer(JsonNode body) {
        return answerReader.apply(body);
    }

    /** Throws BAD_GATEWAY for what this protocol cannot say. */
    ObjectNode writeAnswer(NeutralAnswer answer, Telling telling) {
        return answerWriter.apply(answer, telling);
    }

    EventReader eventReader() {
        return eventReader.get();
    }

    EventWriter eventWriter(Telling telling) {
        return eventWriter.apply(telling);
    }
}
