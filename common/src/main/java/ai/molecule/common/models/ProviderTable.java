package ai.molecule.common.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.config.Env;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The providers, by name. The file that comes with the proxy ({@code models/providers.json}, its form in
 * {@code models/providers.schema.json}) knows the common ones, what they cost says {@link PriceList#shipped}; a file that an operator names
 * adds to it, and replaces those of the same name with their prices. Every failure to read one is an {@link IllegalArgumentException} that says which row is wrong.
 */
public final class ProviderTable {

    /** What a model's name came to. */
    public record Chosen(
            Provider provider, String model, @Nullable ModelPrice price) {

        /** {@code provider:model}. */
        public String name() {
            return provider.name() + ":" + model;
        }
    }

    static final int MODEL_MAX_CHARS = 200;

    private static final String SHIPPED = "/models/providers.json";

    /** What may stand in a URL's path without being escaped, so that a name cannot lead elsewhere. */
    private static final Pattern IN_A_PATH = Pattern.compile("[A-Za-z0-9._@:-]+");

    private final Map<String, Provider> providers;
    private final Map<String, List<String>> aliases;
    private final boolean replayed;

    private ProviderTable(Map<String, Provider> providers, Map<String, List<String>> aliases, boolean replayed) {
        this.providers = providers;
        this.aliases = aliases;
        this.replayed = replayed;
    }

    /** With the operator's, which {@code MOLECULE_PROVIDERS} names: the same for every service. */
    public static ProviderTable fromEnv(Env env) {
        String file = env.find("MOLECULE_PROVIDERS");
        var table = read(file == null ? null : Path.of(file));
        return "replay".equalsIgnoreCase(env.find("MOLECULE_MODELS"))
                ? new ProviderTable(table.providers, table.aliases, true)
                : table;
    }

    /** What comes along, and nothing else. */
    public static ProviderTable shipped() {
        return Shipped.TABLE;
    }

    /** Read once. */
    private static final class Shipped {
        private static final ProviderTable TABLE = new ProviderTable(readShipped(), Map.of(), false);
    }

    /** @param file the operator's; null when there is none */
    public static ProviderTable read(@Nullable Path file) {
        if (file == null) {
            return shipped();
        }
        var providers = readShipped();
        Map<String, List<String>> aliases = new LinkedHashMap<>();
        ProviderFile.add(providers, aliases, ProviderFile.operators(file), "MOLECULE_PROVIDERS (" + file + ")");
        return new ProviderTable(providers, aliases, false);
    }

    private static Map<String, Provider> readShipped() {
        Map<String, Provider> providers = new LinkedHashMap<>();
        try (var shipped = ProviderTable.class.getResourceAsStream(SHIPPED)) {
            if (shipped == null) {
                throw new IllegalStateException("the proxy came without " + SHIPPED);
            }
            ProviderFile.add(providers, new LinkedHashMap<>(), shipped.readAllBytes(), "the table of providers");
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
        addPrices(providers, PriceList.shipped().prices());
        return providers;
    }

    public Collection<Provider> all() {
        return List.copyOf(providers.values());
    }

    /** Whether recordings answer in the place of all of them ({@code MOLECULE_MODELS=replay}), so that none wants a key. */
    public boolean isReplayed() {
        return replayed;
    }

    /** What no agent is told: the names of all secrets that hold a key, or the address it is for. */
    public Set<String> secrets() {
        return providers.values().stream()
                .flatMap(provider -> Stream.of(provider.secret(), provider.urlSecret()))
                .flatMap(Stream::ofNullable)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The models that were given a name, those that stand in for the first behind it. */
    public Map<String, List<String>> aliases() {
        return aliases;
    }

    /** The same with other aliases, before which an operator's of the same name goes back. */
    public ProviderTable withAliases(Map<String, List<String>> others) {
        Map<String, List<String>> all = new LinkedHashMap<>(aliases);
        all.putAll(others);
        return new ProviderTable(providers, all, replayed);
    }

    /** The same with prices that go before its own, by provider; those of providers that are not there are left out. */
    public ProviderTable withPrices(Map<String, List<ModelPrice>> others) {
        if (others.isEmpty()) {
            return this;
        }
        Map<String, Provider> all = new LinkedHashMap<>(providers);
        addPrices(all, others);
        return new ProviderTable(all, aliases, replayed);
    }

    private static void addPrices(Map<String, Provider> providers, Map<String, List<ModelPrice>> first) {
        first.forEach(
                (name, prices) -> providers.computeIfPresent(name, (same, provider) -> provider.withPrices(prices)));
    }

    /** Fails with NOT_FOUND. */
    public Provider get(String provider) {
        var found = providers.get(provider);
        if (found == null) {
            throw ApiError.notFound(
                    "no provider is called %s: write the model as provider:model, with one of %s, or add the provider to the file that MOLECULE_PROVIDERS names"
                            .formatted(shortened(provider), String.join(", ", providers.keySet())));
        }
        return found;
    }

    /** A price as the table has it: {@code {"model","in","out","dated"[,…]}}; INVALID says what is wrong with it. */
    public static ModelPrice price(JsonNode row) {
        try {
            return ProviderFile.price(row, "the price");
        } catch (IllegalArgumentException wrong) {
            throw ApiError.invalid(String.valueOf(wrong.getMessage()));
        }
    }

    /** The models of an alias that somebody wants to have; INVALID says what is wrong with it. */
    public List<String> aliasOf(String name, JsonNode models) {
        String where = "alias " + shortened(name);
        try {
            var named = ProviderFile.alias(name, models, where);
            named.forEach(model -> ProviderFile.exists(providers, model, where));
            return named;
        } catch (IllegalArgumentException wrong) {
            throw ApiError.invalid(String.valueOf(wrong.getMessage()));
        }
    }

    /**
     * What a name stands for, then who is asked in its place when that cannot answer: the other models of an alias, the fallbacks of a
     * provider. Those that the protocol does not reach are left out. Fails as {@link #choose} does.
     *
     * @param reached whether what is asked can be asked there, in this protocol or another
     */
    public List<Chosen> route(ModelProtocol door, Predicate<Provider> reached, String name) {
        var named = aliases.get(name);
        if (named != null) {
            var spoken =
                    named.stream().filter(model -> speaks(door, reached, model)).toList();
            return spoken.isEmpty()
                    ? List.of(choose(door, reached, named.getFirst()))
                    : spoken.stream().map(model -> choose(door, reached, model)).toList();
        }
        var first = choose(door, reached, name);
        return Stream.concat(
                        Stream.of(first),
                        first.provider().fallbacks().stream()
                                .map(other -> other.indexOf(':') < 0 ? other + ":" + first.model() : other)
                                .filter(other -> speaks(door, reached, other))
                                .map(other -> choose(door, reached, other)))
                .distinct()
                .toList();
    }

    private boolean speaks(ModelProtocol door, Predicate<Provider> reached, String name) {
        int colon = name.indexOf(':');
        var provider = providers.get(name.substring(0, colon));
        return provider != null
                && !provider.endpoints().isEmpty()
                && reached.test(provider)
                && (door != ModelProtocol.GOOGLE
                        || IN_A_PATH.matcher(name.substring(colon + 1)).matches());
    }

    /** The same of those that speak the protocol themselves. */
    public List<Chosen> route(ModelProtocol door, String name) {
        return route(door, provider -> provider.endpoints().containsKey(door), name);
    }

    /** The same of those that speak the protocol themselves. */
    public Chosen choose(ModelProtocol door, String name) {
        return choose(door, provider -> provider.endpoints().containsKey(door), name);
    }

    /**
     * {@code provider:model}; a name without a colon is of the provider that is called as the protocol is. Fails with NOT_FOUND when
     * there is no such provider, or the protocol does not reach it.
     */
    public Chosen choose(ModelProtocol door, Predicate<Provider> reached, String name) {
        int colon = name.indexOf(':');
        String providerName = colon < 0 ? door.wireName() : name.substring(0, colon);
        String model = name.substring(colon + 1);
        var provider = get(providerName);
        boolean addressed = provider.urlSecret() != null; // whether it has one, its secrets say
        if (provider.endpoints().isEmpty() && !addressed) {
            throw noAddress(provider);
        }
        if (!provider.endpoints().isEmpty() && !reached.test(provider)) {
            throw ApiError.notFound("provider %s does not speak this protocol: ask at %s instead"
                    .formatted(
                            providerName,
                            String.join(
                                    " or ",
                                    provider.endpoints().keySet().stream()
                                            .map(protocol -> "/models/" + protocol.wireName())
                                            .toList())));
        }
        boolean inPath = door == ModelProtocol.GOOGLE;
        if (model.isEmpty()
                || model.length() > MODEL_MAX_CHARS
                || (inPath && !IN_A_PATH.matcher(model).matches())) {
            throw ApiError.notFound(
                    "model %s cannot be asked for: write the model as provider:model".formatted(shortened(name)));
        }
        return new Chosen(provider, model, provider.priceOf(model));
    }

    public static ApiError noAddress(Provider provider) {
        return ApiError.notFound(
                "provider %s has no address yet: give it one in the file that MOLECULE_PROVIDERS names%s"
                        .formatted(
                                provider.name(),
                                provider.urlSecret() == null ? "" : ", or as the secret " + provider.urlSecret()));
    }

    private static String shortened(String text) {
        return text.length() <= 80 ? text : text.substring(0, 80) + "…";
    }
}
