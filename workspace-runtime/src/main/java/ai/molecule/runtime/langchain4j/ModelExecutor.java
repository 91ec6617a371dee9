package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Said;
import ai.molecule.runtime.agent.Skill;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers with what a model says, token by token. */
public final class ModelExecutor implements AgentExecutor {

    /** A model that says nothing for so long is given up. */
    static final Duration SILENCE_MAX = Duration.ofMinutes(2);

    private static final Logger LOGGER = LoggerFactory.getLogger(ModelExecutor.class);
    private static final Skill SKILL =
            new Skill("chat", "Chat", "Answers with a language model.", List.of("chat", "llm"));

    private final String systemPrompt;
    private final StreamingChatModel model;

    /** @throws ai.molecule.runtime.agent.NotReady naming the setting that is missing or wrong */
    public ModelExecutor(AgentSetup setup) {
        this(setup, SILENCE_MAX);
    }

    ModelExecutor(AgentSetup setup, Duration silenceMax) {
        var endpoint = ModelEndpoint.of(setup);
        this.systemPrompt = setup.systemPrompt();
        var builder = OpenAiStreamingChatModel.builder()
                .httpClientBuilder(new EndpointHttpBuilder(
                        new EndpointHttp(silenceMax, endpoint.timeout()), silenceMax, endpoint.timeout()))
                .baseUrl(endpoint.url())
                .modelName(endpoint.model());
        this.model = (endpoint.key().isEmpty() ? builder : builder.apiKey(endpoint.key())).build();
    }

    @Override
    public Skill skill() {
        return SKILL;
    }

    @Override
    public void answer(Prompt prompt, Reply reply) throws InterruptedException {
        var answer = new SpokenAnswer(reply);
        try {
            model.chat(ChatRequest.builder().messages(conversation(prompt)).build(), answer);
        } catch (RuntimeException e) {
            answer.onError(e);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        var refusal = answer.refusal();
        if (refusal != null) {
            throw refusal;
        }
        var failure = answer.failure();
        if (failure != null) {
            throw failed(prompt, ModelTrouble.of(failure), failure);
        }
        if (!answer.spoken()) {
            throw failed(prompt, ModelTrouble.BAD_ANSWER, new IllegalStateException("nothing was said"));
        }
    }

    private List<ChatMessage> conversation(Prompt prompt) {
        List<ChatMessage> messages = new ArrayList<>();
        if (!systemPrompt.isEmpty()) {
            messages.add(SystemMessage.from(systemPrompt));
        }
        for (Said said : Said.before(prompt)) {
            messages.add(said.byUser() ? UserMessage.from(said.text()) : AiMessage.from(said.text()));
        }
        messages.add(UserMessage.from(prompt.text()));
        return messages;
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
