package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.Excerpt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.tools.SecretFilter;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tools a model calls while it answers one message. Whatever goes wrong becomes words for the model, which can try
 * something else; only a cancelled task ends it.
 */
final class ToolCalls {

    /** Calls of one round that are made; they run at the same time. */
    static final int AT_ONCE_MAX = 16;

    /** Of one tool's answer a model is told this much. */
    static final int RESULT_MAX_CHARS = 60_000;

    /** Of all tools' answers together, so that a conversation fits into the agent's memory. */
    static final int RESULTS_MAX_CHARS = 1_000_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(ToolCalls.class);
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final int QUOTED_MAX_CHARS = 200;
    private static final int SHOWN_MAX_CHARS = 2_000;

    private final Toolbox toolbox;
    private final Repetition repetition = new Repetition();
    private int toldChars;

    ToolCalls(Toolbox toolbox) {
        this.toolbox = toolbox;
    }

    /**
     * An answer to each call, in the order of the calls. Ends those that still run when it is interrupted.
     *
     * @param tools what the model was offered
     */
    List<ToolExecutionResultMessage> run(List<ToolExecutionRequest> calls, List<ToolSpec> tools, Reply reply)
            throws InterruptedException {
        repetition.nextTurn();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                List<Future<String>> answers = new ArrayList<>();
                for (var call : calls.subList(0, Math.min(calls.size(), AT_ONCE_MAX))) {
                    answers.add(threads.submit(() -> answerTo(call, tools)));
                }
                List<ToolExecutionResultMessage> results = new ArrayList<>();
                for (int i = 0; i < calls.size(); i++) {
                    String answer = i < answers.size()
                            ? answers.get(i).get()
                            : "Error: at most " + AT_ONCE_MAX + " calls are made at once; this one was not made";
                    results.add(ToolExecutionResultMessage.from(
                            calls.get(i), repetition.told(calls.get(i), bounded(answer))));
                    reply.used(shown(calls.get(i), answer));
                }
                return results;
            } catch (ExecutionException broken) {
                throw new IllegalStateException(broken.getCause());
            } finally {
                threads.shutdownNow(); // on the usual way there are none left
            }
        }
    }

    /** Whether the model only repeats itself. */
    boolean areEndless() {
        return repetition.isEndless();
    }

    /** For people, and kept: without what looks like a credential. */
    private static ToolUse shown(ToolExecutionRequest call, String answer) {
        return new ToolUse(
                call.name(),
                SecretFilter.redact(Excerpt.of(call.arguments(), SHOWN_MAX_CHARS)),
                SecretFilter.redact(Excerpt.of(answer, SHOWN_MAX_CHARS)));
    }

    private String answerTo(ToolExecutionRequest call, List<ToolSpec> tools) throws InterruptedException {
        Optional<ToolSpec> tool =
                tools.stream().filter(each -> each.name().equals(call.name())).findFirst();
        if (tool.isEmpty()) {
            return "Error: there is no tool " + Excerpt.of(call.name(), QUOTED_MAX_CHARS) + "; there are: "
                    + tools.stream().map(ToolSpec::name).collect(Collectors.joining(", "));
        }
        Optional<JsonNode> arguments = arguments(call.arguments());
        if (arguments.isEmpty()) {
            return "Error: the arguments are no JSON object: " + Excerpt.of(call.arguments(), QUOTED_MAX_CHARS);
        }
        try {
            return tool.get().run(toolbox, arguments.get());
        } catch (RuntimeException broken) {
            LOGGER.atError().addKeyValue("tool", call.name()).setCause(broken).log("tool failed unexpectedly");
            return "Error: the tool failed (" + broken.getClass().getSimpleName() + ")";
        }
    }

    /** No arguments at all are none; empty when they are something else than an object. */
    static Optional<JsonNode> arguments(String text) {
        if (text == null || text.isBlank()) {
            return Optional.of(JSON.createObjectNode());
        }
        try {
            return Optional.of(JSON.readTree(text)).filter(JsonNode::isObject);
        } catch (JsonProcessingException notJson) {
            return Optional.empty();
        }
    }

    private String bounded(String answer) {
        String told = answer.length() <= RESULT_MAX_CHARS
                ? answer
                : Excerpt.of(answer, RESULT_MAX_CHARS) + "\n[" + (answer.length() - RESULT_MAX_CHARS)
                        + " more characters are left out]";
        toldChars += told.length();
        return toldChars <= RESULTS_MAX_CHARS
                ? told
                : "Error: the answer is left out, this conversation holds as much as it can; finish with what you know";
    }
}
