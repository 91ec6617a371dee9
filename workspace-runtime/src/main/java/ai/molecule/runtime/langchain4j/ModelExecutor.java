package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Provenance;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.runtime.agent.SystemPrompt;
import ai.molecule.runtime.agent.TaskLimits;
import ai.molecule.runtime.agent.Wedge;
import ai.molecule.runtime.tools.Parked;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.sdk.TraceContext;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers with what a model says, token by token. When the model calls tools they are run, their answers go back to it, and it
 * speaks on, until it calls none.
 */
public final class ModelExecutor implements AgentExecutor {

    /** A model that says nothing for so long is given up. */
    static final Duration SILENCE_MAX = Duration.ofMinutes(2);

    /** For all turns and tools of one message; {@code runtime_config.timeout} goes before it. */
    static final Duration ANSWER_MAX = Duration.ofHours(2);

    /** A model that was refused its tools is offered them again after this: another may answer under its name by then. */
    static final Duration NO_TOOLS_FOR = Duration.ofMinutes(10);

    /** So long a task rests for which there is no money, before its model is asked again. */
    static final Duration MONEY_PAUSE = Duration.ofSeconds(10);

    /** Of one turn: further ones are found by the next. */
    private static final int BLAMED_MAX = 8;

    private static final Logger LOGGER = LoggerFactory.getLogger(ModelExecutor.class);
    private static final Skill SKILL =
            new Skill("chat", "Chat", "Answers with a language model.", List.of("chat", "llm"));

    /** What the model did has its effect even when it has nothing to say about it. */
    private static final String NO_WORDS = "(no response generated)";

    /** What the next message will not put right. */
    private static final Set<ModelTrouble> WANTS_A_PERSON =
            Set.of(ModelTrouble.AUTH_FAILED, ModelTrouble.MODEL_NOT_FOUND);

    private final SystemPrompt systemPrompt;
    private final List<ToolSpec> tools;
    private final ToolSource ownTools;
    private final Toolbox toolbox;
    private final int roundsMax;
    private final TaskLimits limits;
    private final @Nullable EndpointHttp http; // null where nobody is called
    private final Duration answerMax;
    private final Clock clock;
    private final ModelRetries.Sleep sleep;
    private final StreamingChatModel model;
    private final String modelName;
    private final boolean atDoor;
    private final Pictures pictures;
    private final Wedge wedge = new Wedge();

    /** Tools of servers that the endpoint refused by name. */
    private final Set<String> blamed = ConcurrentHashMap.newKeySet();

    /** Until then: small models often know of no tools, and their endpoints say so with a 400. */
    private volatile Instant noToolsUntil = Instant.MIN;

    /**
     * @param tools what the model may call
     * @param ownTools what it may call beside them; closed with this
     * @param toolbox what they work with
     * @throws ai.molecule.runtime.agent.NotReady naming the setting that is missing or wrong
     */
    public ModelExecutor(AgentSetup setup, List<ToolSpec> tools, ToolSource ownTools, Toolbox toolbox) {
        this(setup, tools, ownTools, toolbox, SILENCE_MAX, Clock.systemUTC(), Thread::sleep);
    }

    ModelExecutor(
            AgentSetup setup,
            List<ToolSpec> tools,
            ToolSource ownTools,
            Toolbox toolbox,
            Duration silenceMax,
            Clock clock,
            ModelRetries.Sleep sleep) {
        this.sleep = sleep;
        this.clock = clock;
        var endpoint = ModelEndpoint.of(setup);
        this.modelName = endpoint.model();
        this.atDoor = endpoint.atDoor();
        this.pictures = pictures(setup, clock);
        this.systemPrompt = setup.systemPrompt();
        this.tools = List.copyOf(tools);
        this.ownTools = ownTools;
        this.toolbox = toolbox;
        this.answerMax = setup.timeoutSeconds() == 0 ? ANSWER_MAX : endpoint.timeout();
        this.roundsMax = RoundLimit.in(setup.environment());
        this.limits = setup.limits();
        this.http = new EndpointHttp(silenceMax, endpoint.timeout(), endpoint.atDoor());
        var builder = OpenAiStreamingChatModel.builder()
                .httpClientBuilder(new EndpointHttpBuilder(http, silenceMax, endpoint.timeout()))
                .baseUrl(endpoint.url())
                .modelName(endpoint.model());
        this.model = (endpoint.key().isEmpty() ? builder : builder.apiKey(endpoint.key())).build();
    }

    /** Asks nobody: the model is at hand. */
    ModelExecutor(AgentSetup setup, List<ToolSpec> tools, ToolSource ownTools, Toolbox toolbox, RecordedModel model) {
        this.sleep = Thread::sleep;
        this.clock = Clock.systemUTC();
        this.modelName = setup.model();
        this.atDoor = false;
        this.pictures = pictures(setup, clock);
        this.systemPrompt = setup.systemPrompt();
        this.tools = List.copyOf(tools);
        this.ownTools = ownTools;
        this.toolbox = toolbox;
        this.answerMax = setup.timeoutSeconds() == 0 ? ANSWER_MAX : Duration.ofSeconds(setup.timeoutSeconds());
        this.roundsMax = RoundLimit.in(setup.environment());
        this.limits = setup.limits();
        this.http = null;
        this.model = model;
    }

    private static Pictures pictures(AgentSetup setup, Clock clock) {
        return new Pictures(Path.of(setup.environment().getOrDefault("MOLECULE_WORKSPACE_FOLDER", "")), clock);
    }

    @Override
    public Skill skill() {
        return SKILL;
    }

    @Override
    public List<Skill> skills() {
        return Stream.concat(Stream.of(SKILL), systemPrompt.skills().stream()).toList();
    }

    @Override
    public Optional<String> wedged() {
        return wedge.reason();
    }

    @Override
    public void close() {
        systemPrompt.close();
        ownTools.close();
    }

    /** With keys of its own, and not the gateway's, it was made once and for all. */
    @Override
    public boolean takesOtherValues() {
        return atDoor || http == null;
    }

    @Override
    public void takeOtherValues(Map<String, String> environment) {
        ownTools.takeOtherValues(environment);
    }

    @Override
    public boolean resumes() {
        return true;
    }

    @Override
    public void answer(Prompt prompt, Reply reply) throws InterruptedException {
        EndpointHttp.callsAreFor(prompt.purpose());
        var usable = prompt.isInitial() ? toolbox.handingNothingOn() : toolbox;
        ToolSource.ForMessage own = ownTools.begin();
        var talk = Conversation.of(
                reply.steps(), prompt.text(), () -> Conversation.beginning(systemPrompt.text(), prompt, asked(prompt)));
        var calls = new ToolCalls(usable, talk, prompt.taskId());
        long deadline = System.nanoTime() + answerMax.toNanos();
        while (!talk.isOver()) {
            List<ToolSpec> offered = offered(usable, own);
            if (talk.open().isEmpty()) {
                String separator = talk.spoken() && !talk.isCut() ? "\n\n" : "";
                var turn = turn(prompt, talk, offered, () -> new SpokenAnswer(reply, separator));
                talk.spoke(turn, micros(turn));
                reply.turned(turn.asTurn(modelName));
                if (talk.open().isEmpty()) {
                    break;
                }
                checkLimits(prompt, talk);
                String question = talk.limit(limits);
                if (!question.isEmpty()) {
                    stop(prompt, talk, reply, question);
                    return;
                }
            }
            var question = Questions.in(talk.open(), offered);
            calls.run(Questions.others(talk.open(), question), offered, reply);
            if (question.isPresent()) {
                talk.asks(question.get());
                reply.ask(Questions.question(question.get()));
                return;
            }
            if (calls.areEndless()) {
                throw failed(prompt, ModelTrouble.NO_PROGRESS, new IllegalStateException("the same calls again"));
            }
            if (System.nanoTime() - deadline > 0) {
                throw failed(prompt, ModelTrouble.TIMEOUT, new TimeoutException());
            }
        }
        end(prompt, reply, talk.spoken(), talk.rounds() - 1);
    }

    private List<ToolSpec> offered(Toolbox usable, ToolSource.ForMessage own) {
        return Stream.concat(tools.stream(), own.now().stream().filter(tool -> !blamed.contains(tool.name())))
                .filter(usable::offers)
                .toList();
    }

    /** Before its tools run: whoever gave the task says whether it goes on. */
    /** Who speaks stands in front of it, but for a recorded model: that goes by the words of whoever recorded it. */
    private String asked(Prompt prompt) {
        return http == null ? prompt.text() : Provenance.before(prompt.text());
    }

    private static void stop(Prompt prompt, Conversation talk, Reply reply, String question) {
        if (prompt.isInitial()) { // nobody gave it
            throw failed(prompt, ModelTrouble.LIMIT_REACHED, new IllegalStateException("nobody to ask"));
        }
        talk.stops();
        reply.ask(question);
    }

    /** What it cost, in millionths of a dollar; -1 where nobody knows. */
    private long micros(SpokenAnswer turn) {
        var price = limits.price() == null && http != null ? http.price() : limits.price();
        boolean counted = turn.tokensIn() + turn.tokensOut() > 0;
        return price != null && counted ? price.micros(turn.tokensIn(), turn.tokensOut()) : -1;
    }

    private void checkLimits(Prompt prompt, Conversation talk) {
        if (talk.rounds() >= roundsMax) {
            throw failed(prompt, ModelTrouble.TOO_MANY_TOOL_CALLS, new IllegalStateException("tools without end"));
        }
        if (limits.microsMax() > 0 && talk.micros() < 0) {
            throw failed(prompt, ModelTrouble.NO_PRICE, new IllegalStateException("no price or no tokens"));
        }
        if (limits.tokensMax() > 0 && talk.tokens() > limits.tokensMax()) {
            throw failed(prompt, ModelTrouble.TOO_MANY_TOKENS, new IllegalStateException("tokens without end"));
        }
    }

    /**
     * Returns what the model said, or throws why it said nothing. A first request with tools that is refused is made again
     * without; only when the refusal speaks of tools are they left out from then on, because a conversation too long by a few
     * words is refused as well and passes without.
     */
    private SpokenAnswer turn(Prompt prompt, Conversation talk, List<ToolSpec> offered, Supplier<SpokenAnswer> listener)
            throws InterruptedException {
        boolean withTools = !offered.isEmpty() && !clock.instant().isBefore(noToolsUntil);
        List<ChatMessage> messages = talk.messages();
        List<ToolSpec> usable = withTools ? offered : List.of();
        SpokenAnswer answer = askAgain(messages, usable, listener);
        for (int i = 0; i < BLAMED_MAX && isBlamed(answer, usable); i++) {
            usable = usable.stream()
                    .filter(tool -> !blamed.contains(tool.name()))
                    .toList();
            answer = askAgain(messages, usable, listener);
        }
        if (isTooLong(answer) && talk.shrink()) {
            messages = talk.messages();
            answer = askAgain(messages, usable, listener);
        }
        var failure = answer.failure();
        if (failure != null
                && ModelTrouble.of(failure) == ModelTrouble.REQUEST_REFUSED
                && ModelTrouble.namesPictures(failure)
                && pictures.refused(messages)) {
            answer = askAgain(messages, usable, listener);
            failure = answer.failure();
        }
        boolean first = messages.getLast() instanceof UserMessage; // later the tools are part of the conversation
        if (withTools && first && failure != null && ModelTrouble.of(failure) == ModelTrouble.REQUEST_REFUSED) {
            boolean namesTools = ModelTrouble.namesTools(failure);
            answer = askAgain(messages, List.of(), listener);
            failure = answer.failure();
            boolean takesNoTools = namesTools && failure == null && answer.refusal() == null;
            if (takesNoTools) {
                noToolsUntil = clock.instant().plus(NO_TOOLS_FOR);
            }
            LOGGER.atWarn().addKeyValue("takesNoTools", takesNoTools).log("model refused a request with tools");
        }
        var refusal = answer.refusal();
        if (refusal != null) {
            throw refusal;
        }
        if (failure != null) {
            var trouble = ModelTrouble.of(failure);
            if (trouble == ModelTrouble.BUDGET_EXCEEDED && talk.cutOff(answer)) {
                throw new Parked("money for its model", after(MONEY_PAUSE));
            }
            var told = failed(prompt, trouble, failure);
            if (WANTS_A_PERSON.contains(trouble)) {
                wedge.stuck(String.valueOf(told.getMessage()));
            }
            throw told;
        }
        wedge.free();
        return answer;
    }

    /** Asked again is not paid for while there is no money, so nobody need be asked whether there is. */
    private static Parked.Until after(Duration pause) {
        long begun = System.nanoTime();
        return () -> System.nanoTime() - begun > pause.toNanos();
    }

    /** Once, or again where that may help. */
    private SpokenAnswer askAgain(List<ChatMessage> messages, List<ToolSpec> offered, Supplier<SpokenAnswer> listener)
            throws InterruptedException {
        SpokenAnswer answer = ask(messages, offered, listener.get());
        for (int retry = 1; ; retry++) {
            var failure = answer.failure();
            if (failure == null || answer.spoken()) {
                return answer;
            }
            Optional<Duration> pause = ModelRetries.pauseBefore(retry, failure, ThreadLocalRandom.current());
            if (pause.isEmpty()) {
                return answer;
            }
            LOGGER.atInfo()
                    .addKeyValue("retry", retry)
                    .addKeyValue("pauseMs", pause.get().toMillis())
                    .log("model is asked again");
            sleep.during(pause.get());
            answer = ask(messages, offered, listener.get());
        }
    }

    private SpokenAnswer ask(List<ChatMessage> messages, List<ToolSpec> offered, SpokenAnswer answer)
            throws InterruptedException {
        // the platform's model door tells of the call itself
        try (var step = atDoor ? TraceContext.Step.NONE : TraceContext.begin("chat " + modelName, true)) {
            step.fact("gen_ai.operation.name", "chat");
            step.fact("gen_ai.request.model", modelName);
            var request = ChatRequest.builder().messages(pictures.shownIn(messages));
            model.chat(
                    (offered.isEmpty() ? request : request.toolSpecifications(OfferedTools.of(offered))).build(),
                    answer);
            step.fact("gen_ai.usage.input_tokens", answer.tokensIn());
            step.fact("gen_ai.usage.output_tokens", answer.tokensOut());
            var failure = answer.failure();
            if (failure != null) {
                step.failed(ModelTrouble.of(failure).name().toLowerCase(Locale.ROOT));
            }
        } catch (RuntimeException e) {
            answer.onError(e);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return answer;
    }

    /** Whether the request was refused for one tool of a server, which is offered no more: it would take all the others away. */
    private boolean isBlamed(SpokenAnswer answer, List<ToolSpec> told) {
        var failure = answer.failure();
        if (failure == null || ModelTrouble.of(failure) != ModelTrouble.REQUEST_REFUSED) {
            return false;
        }
        var found = ModelTrouble.blamedTool(
                        failure, told.stream().map(ToolSpec::name).toList())
                .filter(name -> !isOurs(name));
        found.ifPresent(name -> LOGGER.atWarn()
                .addKeyValue("tool", name)
                .log("the model's endpoint refuses this tool; it is offered no more until the agent starts again"));
        return found.map(blamed::add).orElse(false);
    }

    /** Those of servers are called {@code <server>__<tool>}. */
    private static boolean isOurs(String tool) {
        return !tool.contains("__");
    }

    private static boolean isTooLong(SpokenAnswer answer) {
        var failure = answer.failure();
        return failure != null
                && ModelTrouble.of(failure) == ModelTrouble.REQUEST_REFUSED
                && ModelTrouble.namesLength(failure);
    }

    private static void end(Prompt prompt, Reply reply, boolean spoken, int rounds) {
        if (!spoken && rounds == 0) {
            throw failed(prompt, ModelTrouble.BAD_ANSWER, new IllegalStateException("nothing was said"));
        }
        if (!spoken) {
            reply.text(NO_WORDS);
        }
    }

    /** The log gets the kind and the class: the words of endpoints may repeat keys and prompts. */
    private static AgentFailure failed(Prompt prompt, ModelTrouble trouble, Throwable failure) {
        String kind = trouble.name().toLowerCase(Locale.ROOT);
        LOGGER.atWarn()
                .addKeyValue("taskId", prompt.taskId())
                .addKeyValue("kind", kind)
                .addKeyValue("failure", failure.getClass().getSimpleName())
                .log("model failed");
        return new AgentFailure("the model failed (" + kind + "), see the workspace log");
    }
}
