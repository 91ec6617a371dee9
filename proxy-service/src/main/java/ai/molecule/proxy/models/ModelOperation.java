package ai.molecule.proxy.models;

import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.Provider;
import ai.molecule.proxy.models.translation.SpokenProtocol;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What can be asked of a model: in which protocol, and where a provider serves it below its base URL. */
public enum ModelOperation {
    CHAT(ModelProtocol.OPENAI, "/chat/completions", "chat", true),
    RESPONSES(ModelProtocol.OPENAI, "/responses", "chat", true),
    EMBEDDINGS(ModelProtocol.OPENAI, "/embeddings", "embeddings", true),
    MESSAGES(ModelProtocol.ANTHROPIC, "/v1/messages", "chat", true),
    COUNT_MESSAGE_TOKENS(ModelProtocol.ANTHROPIC, "/v1/messages/count_tokens", "count_tokens", false),
    GENERATE(ModelProtocol.GOOGLE, ":generateContent", "generate_content", true),
    STREAM_GENERATE(ModelProtocol.GOOGLE, ":streamGenerateContent", "generate_content", true),
    COUNT_TOKENS(ModelProtocol.GOOGLE, ":countTokens", "count_tokens", false);

    private final ModelProtocol protocol;
    private final String path;
    private final String genAiName;
    private final boolean billed;

    ModelOperation(ModelProtocol protocol, String path, String genAiName, boolean billed) {
        this.genAiName = genAiName;
        this.protocol = protocol;
        this.path = path;
        this.billed = billed;
    }

    public ModelProtocol protocol() {
        return protocol;
    }

    /**
     * What a provider is asked with where this is wanted: this itself when it serves it, else what it is translated into; empty when it
     * serves none. Messages say the most, so they come first.
     */
    Optional<ModelOperation> at(Provider provider) {
        if (isServedBy(provider)) {
            return Optional.of(this);
        }
        return spoken() == null
                ? Optional.empty()
                : Stream.of(MESSAGES, CHAT, RESPONSES)
                        .filter(other -> other.isServedBy(provider))
                        .findFirst();
    }

    /** Where an address is not in the table, everything is. */
    private boolean isServedBy(Provider provider) {
        boolean named = this == CHAT || this == RESPONSES;
        return provider.endpoints().isEmpty()
                || (provider.endpoints().containsKey(protocol)
                        && (!named || provider.serves().contains(wireName())));
    }

    /** The protocol that is translated; null for what is passed or refused. */
    @Nullable
    SpokenProtocol spoken() {
        return switch (this) {
            case CHAT -> SpokenProtocol.CHAT;
            case RESPONSES -> SpokenProtocol.RESPONSES;
            case MESSAGES -> SpokenProtocol.MESSAGES;
            case EMBEDDINGS, COUNT_MESSAGE_TOKENS, GENERATE, STREAM_GENERATE, COUNT_TOKENS -> null;
        };
    }

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As traces call it ({@code gen_ai.operation.name}). */
    String genAiName() {
        return genAiName;
    }

    /** Whether providers take money for it. */
    public boolean billed() {
        return billed;
    }

    /** Google's protocol has the model in the path, the others in the body. */
    public String urlAt(String baseUrl, String model) {
        return protocol == ModelProtocol.GOOGLE ? baseUrl + "/models/" + model + path : baseUrl + path;
    }

    /** Of a path that {@link #urlAt} made. */
    static ModelProtocol protocolAt(String path) {
        return path.startsWith("/models/")
                ? ModelProtocol.GOOGLE
                : path.startsWith(MESSAGES.path) ? ModelProtocol.ANTHROPIC : ModelProtocol.OPENAI;
    }

    /** The verb behind the last colon of a path of Google's protocol, colon included. */
    String verb() {
        return path;
    }
}
