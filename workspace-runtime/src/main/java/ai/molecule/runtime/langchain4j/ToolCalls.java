package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.tools.AskedFirst;
import ai.molecule.runtime.tools.Excerpt;
import ai.molecule.runtime.tools.Parked;
import ai.molecule.runtime.tools.SecretFilter;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.sdk.TraceContext;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

    /** Of the answers of one turn together, so that a conversation fits into the agent's memory: of older ones {@link Compaction} takes care. */
    static final int RESULTS_MAX_CHARS = 1_000_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(ToolCalls.class);
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final String INTERRUPTED =
            "Error: the agent was restarted while this ran: it may have been done, wholly or in part. Look before you do it again.";

    /** Those that change nothing, and those that find what they began. */
    private static final Set<String> REPEATABLE = Set.of(
            "read",
            "list",
            "glob",
            "search",
            "fetch",
            "find_tools",
            "list_peers",
            "get_workspace_info",
            "check_task_status",
            "chat_history",
            "recall_memory",
            "delegate_task",
            "delegate_task_async",
            "request_approval",
            "ask");

    private static final int QUOTED_MAX_CHARS = 200;
    private static final int SHOWN_MAX_CHARS = 2_000;

    private final Toolbox toolbox;
    private final Conversation talk;
    private final String taskId;
    private final Repetition repetition = new Repetition();
    private int toldChars;

    /** @param talk where the answers are kept */
    ToolCalls(Toolbox toolbox, Conversation talk, String taskId) {
        this.toolbox = toolbox;
        this.talk = talk;
        this.taskId = taskId;
    }

    /**
     * Gives an answer to each call. Ends those that still run when it is interrupted.
     *
     * @param tools what the model was offered
     * @throws Parked when one of them waits for something outside, once the others are answered
     */
    void run(List<ToolExecutionRequest> calls, List<ToolSpec> tools, Reply reply) throws InterruptedException {
        repetition.nextTurn();
        toldChars = 0;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                List<Future<String>> answers = new ArrayList<>();
                for (var call : calls.subList(0, Math.min(calls.size(), AT_ONCE_MAX))) {
                    answers.add(threads.submit(() -> answer(call, tools)));
                }
                Optional<Parked> parked = Optional.empty();
                for (int i = 0; i < calls.size(); i++) {
                    var call = calls.get(i);
                    try {
                        String answer = i < answers.size()
                                ? answers.get(i).get()
                                : told(
                                        call,
                                        "Error: at most " + AT_ONCE_MAX
                                                + " calls are made at once; this one was not made");
                        reply.used(shown(call, answer));
                    } catch (ExecutionException broken) {
                        if (!(broken.getCause() instanceof Parked waits)) {
                            throw new IllegalStateException(broken.getCause());
                        }
                        parked = parked.or(() -> Optional.of(waits));
                    }
                }
                if (parked.isPresent()) {
                    throw parked.get();
                }
            } finally {
                threads.shutdownNow(); // on the usual way there are none left
            }
        }
    }

    /**
     * Kept as soon as it is there: what another call of the same turn comes to changes nothing about it. What a tool says of being
     * interrupted is no answer: a task that goes on later would take it for one.
     */
    private String answer(ToolExecutionRequest call, List<ToolSpec> tools) throws InterruptedException {
        String answer = answerTo(call, tools);
        if (Thread.interrupted()) {
            throw new InterruptedException(call.name() + " was interrupted");
        }
        return told(call, answer);
    }

    private String told(ToolExecutionRequest call, String answer) {
        synchronized (talk) {
            talk.answered(call.id(), repetition.told(call, bounded(answer)));
        }
        return answer;
    }

    /** Whether the model only repeats itself. */
    boolean areEndless() {
        return repetition.isEndless();
    }

    private record Made(Conversation talk, String taskId, String callId) implements Toolbox.Call {
        @Override
        public String key() {
            return taskId + "/" + talk.rounds() + "/" + callId;
        }

        @Override
        public Optional<String> noted() {
            return talk.note(callId);
        }

        @Override
        public boolean note(String text) {
            return talk.note(callId, text);
        }
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
        boolean onlyAsked = talk.note(call.id()).map(AskedFirst::isOnlyAsked).orElse(false);
        if (talk.mayHaveBeenMade() && !REPEATABLE.contains(call.name()) && !onlyAsked) {
            return INTERRUPTED;
        }
        try (var step = TraceContext.begin("execute_tool " + call.name(), false)) {
            step.fact("gen_ai.operation.name", "execute_tool");
            step.fact("gen_ai.tool.name", call.name());
            String answer = tool.get().run(toolbox.during(new Made(talk, taskId, call.id())), arguments.get());
            if (answer.startsWith("Error:")) {
                step.failed("tool_error");
            }
            return answer;
        } catch (Parked waits) {
            throw waits;
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
                : "Error: the answer is left out, this turn holds as much as it can; ask for it alone";
    }
}
