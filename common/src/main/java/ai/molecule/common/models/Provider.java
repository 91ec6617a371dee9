package ai.molecule.common.models;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who runs models.
 *
 * @param endpoints its base URL for each protocol it speaks, without a slash at the end; empty until an operator gives one
 * @param secret the name of the secret that holds its key; null when it asks for none
 * @param urlSecret the name of the secret that holds another base URL for it, as its programs call theirs; null when there is none
 * @param auth how the key is shown at an endpoint of its own protocol; at one of OpenAI's it is a bearer all the same
 * @param usageOnRequest whether it tells a chat stream's usage only when asked ({@code stream_options.include_usage})
 * @param outputLimit what it calls the limit of a chat completion's output
 * @param serves which of {@code chat} and {@code responses} its endpoint of OpenAI's protocol answers
 * @param defaultModel what is asked when nobody said which; null when there is none
 * @param parallelMax calls to it at one time, of one proxy
 * @param pace how much it takes in a minute
 * @param fallbacks who is asked in its place when it cannot answer, in their order: another provider's name, for the same model, or
 *     {@code provider:model}
 */
public record Provider(
        String name,
        Map<ModelProtocol, String> endpoints,
        @Nullable String secret,
        @Nullable String urlSecret,
        Auth auth,
        boolean usageOnRequest,
        String outputLimit,
        Set<String> serves,
        @Nullable String defaultModel,
        int parallelMax,
        Pace pace,
        List<String> fallbacks,
        List<ModelPrice> prices) {

    /**
     * What a provider takes in a minute with one key, of all proxies together; null of what it does not bound.
     *
     * @param tokens of input and output, without those read from a cache
     */
    public record Pace(@Nullable Long requests, @Nullable Long tokens) {

        public boolean isBounded() {
            return requests != null || tokens != null;
        }
    }

    /** A header that carries the key. */
    public enum Auth {
        BEARER("Authorization", "Bearer "),
        X_API_KEY("x-api-key", ""),
        API_KEY("api-key", ""),
        X_GOOG_API_KEY("x-goog-api-key", "");

        private final String header;
        private final String before;

        Auth(String header, String before) {
            this.header = header;
            this.before = before;
        }

        public String header() {
            return header;
        }

        public String value(String key) {
            return before + key;
        }

        static Optional<Auth> ofWire(String name) {
            for (var auth : values()) {
                if (auth.wireName().equals(name)) {
                    return Optional.of(auth);
                }
            }
            return Optional.empty();
        }

        String wireName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** How its key is shown to an endpoint: what only one's own protocol knows stays there. */
    public Auth authAt(ModelProtocol protocol) {
        boolean foreign = protocol == ModelProtocol.OPENAI && (auth == Auth.X_API_KEY || auth == Auth.X_GOOG_API_KEY);
        return foreign ? Auth.BEARER : auth;
    }

    /** Whether it can be asked at all: there is an address, and the key it wants is known. */
    public boolean isReady(Set<String> secretsGiven) {
        boolean addressed = urlSecret != null && secretsGiven.contains(urlSecret);
        boolean keyed = secret == null || secretsGiven.contains(secret);
        return addressed || (keyed && !endpoints.isEmpty());
    }

    /** The same with these before its own. */
    Provider withPrices(List<ModelPrice> first) {
        return new Provider(
                name,
                endpoints,
                secret,
                urlSecret,
                auth,
                usageOnRequest,
                outputLimit,
                serves,
                defaultModel,
                parallelMax,
                pace,
                fallbacks,
                Stream.concat(first.stream(), prices.stream()).toList());
    }

    /** Null when nobody knows: then the cost is unknown, not nothing. A model's own row goes before that of any. */
    public @Nullable ModelPrice priceOf(String model) {
        return prices.stream()
                .filter(price -> !price.model().equals(ModelPrice.ANY) && price.covers(model))
                .findFirst()
                .or(() -> prices.stream()
                        .filter(price -> price.model().equals(ModelPrice.ANY))
                        .findFirst())
                .orElse(null);
    }
}
