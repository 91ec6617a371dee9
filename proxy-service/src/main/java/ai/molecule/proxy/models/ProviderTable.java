package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The providers, by name. The file that comes with the proxy ({@code models/providers.json}, its form in
 * {@code models/providers.schema.json}) knows the common ones; a file that an operator names adds to it, and replaces those of the same
 * name. Every failure to read one is an {@link IllegalArgumentException} that says which row is wrong.
 */
public final class ProviderTable {

    /** What a model's name came to. */
    public record Chosen(
            Provider provider, String model, @Nullable ModelPrice price) {}

    static final int FILE_MAX_BYTES = 1 << 20;
    static final int PROVIDERS_MAX = 200;
    static final int PRICES_MAX = 1_000;
    static final int PARALLEL_DEFAULT = 256;
    private static final int PARALLEL_MAX = 2_000;
    private static final int MODEL_MAX_CHARS = 200;

    private static final String SHIPPED = "/models/providers.json";
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
    private static final Pattern SECRET = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

    /** What may stand in a URL's path without being escaped, so that a name cannot lead elsewhere. */
    private static final Pattern IN_A_PATH = Pattern.compile("[A-Za-z0-9._@:-]+");

    private static final Set<String> OUTPUT_LIMITS = Set.of("max_tokens", "max_completion_tokens");
    private static final Set<String> MEMBERS =
            Set.of("name", "endpoints", "secret", "auth", "usage_on_request", "output_limit", "parallel_max", "prices");
    private static final Set<String> PRICE_MEMBERS = Set.of("model", "in", "out", "cached", "cache_write", "dated");

    private final Map<String, Provider> providers;

    private ProviderTable(Map<String, Provider> providers) {
        this.providers = providers;
    }

    /** @param file the operator's; null when there is none */
    public static ProviderTable read(@Nullable Path file) {
        Map<String, Provider> providers = new LinkedHashMap<>();
        try (var shipped = ProviderTable.class.getResourceAsStream(SHIPPED)) {
            if (shipped == null) {
                throw new IllegalStateException("the proxy came without " + SHIPPED);
            }
            add(providers, shipped.readAllBytes(), "the table of providers");
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
        if (file != null) {
            add(providers, operators(file), "MOLECULE_PROVIDERS (" + file + ")");
        }
        return new ProviderTable(providers);
    }

    public Collection<Provider> all() {
        return List.copyOf(providers.values());
    }

    /**
     * {@code provider:model}; a name without a colon is of the provider that is called as the protocol is. Fails with NOT_FOUND when
     * there is no such provider, or it does not speak the protocol.
     */
    public Chosen choose(ModelProtocol door, String name) {
        int colon = name.indexOf(':');
        String providerName = colon < 0 ? door.wireName() : name.substring(0, colon);
        String model = name.substring(colon + 1);
        var provider = providers.get(providerName);
        if (provider == null) {
            throw ApiError.notFound(
                    "no provider is called %s: write the model as provider:model, with one of %s, or add the provider to the file that MOLECULE_PROVIDERS names"
                            .formatted(shortened(providerName), String.join(", ", providers.keySet())));
        }
        if (provider.endpoints().isEmpty()) {
            throw ApiError.notFound(
                    "provider %s has no address yet: give it one in the file that MOLECULE_PROVIDERS names"
                            .formatted(providerName));
        }
        if (!provider.endpoints().containsKey(door)) {
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

    private static String shortened(String text) {
        return text.length() <= 80 ? text : text.substring(0, 80) + "…";
    }

    private static byte[] operators(Path file) {
        try (var content = Files.newInputStream(file)) {
            byte[] bytes = content.readNBytes(FILE_MAX_BYTES + 1);
            if (bytes.length <= FILE_MAX_BYTES) {
                return bytes;
            }
        } catch (IOException unreadable) {
            // same answer as for one too long
        }
        throw new IllegalArgumentException("MOLECULE_PROVIDERS must name a readable file of at most 1 MiB");
    }

    private static void add(Map<String, Provider> providers, byte[] text, String where) {
        JsonNode rows;
        try {
            rows = Json.parse(text).path("providers");
        } catch (IOException malformed) {
            throw new IllegalArgumentException(where + " is not JSON: " + malformed.getMessage(), malformed);
        }
        if (!rows.isArray()) {
            throw new IllegalArgumentException(where + " has no list called providers");
        }
        for (var row : rows) {
            var provider =
                    provider(row, where + ": provider " + row.path("name").asText("without a name"));
            providers.put(provider.name(), provider);
        }
        if (providers.size() > PROVIDERS_MAX) {
            throw new IllegalArgumentException(where + " makes more than " + PROVIDERS_MAX + " providers");
        }
    }

    private static Provider provider(JsonNode row, String where) {
        known(row, MEMBERS, where);
        String name = row.path("name").asText();
        require(NAME.matcher(name).matches(), where, "needs a name of lower-case letters, digits and dashes");
        var endpoints = new EnumMap<ModelProtocol, String>(ModelProtocol.class);
        require(row.path("endpoints").isObject(), where, "needs endpoints, a base URL for each protocol");
        for (var endpoint : row.path("endpoints").properties()) {
            var protocol = ModelProtocol.ofWire(endpoint.getKey())
                    .orElseThrow(() -> wrong(where, "knows no protocol " + endpoint.getKey()));
            endpoints.put(protocol, baseUrl(endpoint.getValue().asText(), where));
        }
        JsonNode secret = row.path("secret");
        boolean named = secret.isTextual() && SECRET.matcher(secret.textValue()).matches();
        require(named || secret.isNull(), where, "needs the name of a secret, or null when it asks for no key");
        var auth = Provider.Auth.ofWire(row.path("auth").asText("bearer"))
                .orElseThrow(() -> wrong(where, "auth is one of bearer, x-api-key, api-key, x-goog-api-key"));
        String outputLimit = row.path("output_limit").asText("max_tokens");
        require(OUTPUT_LIMITS.contains(outputLimit), where, "output_limit is max_tokens or max_completion_tokens");
        int parallel = row.path("parallel_max").asInt(PARALLEL_DEFAULT);
        require(parallel >= 1 && parallel <= PARALLEL_MAX, where, "parallel_max is 1 to " + PARALLEL_MAX);
        List<ModelPrice> prices = new ArrayList<>();
        row.path("prices").forEach(price -> prices.add(price(price, where)));
        require(prices.size() <= PRICES_MAX, where, "has more than " + PRICES_MAX + " prices");
        return new Provider(
                name,
                endpoints,
                named ? secret.textValue() : null,
                auth,
                row.path("usage_on_request").asBoolean(false),
                outputLimit,
                parallel,
                List.copyOf(prices));
    }

    private static ModelPrice price(JsonNode row, String where) {
        known(row, PRICE_MEMBERS, where);
        String model = row.path("model").asText();
        require(!model.isEmpty() && model.length() <= MODEL_MAX_CHARS, where, "has a price without a model");
        var in = dollars(row.path("in"), where);
        var out = dollars(row.path("out"), where);
        if (in == null || out == null) {
            throw wrong(where, "needs in and out for " + model);
        }
        try {
            return new ModelPrice(
                    model,
                    in,
                    out,
                    dollars(row.path("cached"), where),
                    dollars(row.path("cache_write"), where),
                    LocalDate.parse(row.path("dated").asText()));
        } catch (DateTimeException undated) {
            throw wrong(where, "needs the day on which the price of " + model + " was looked up, as 2026-01-31");
        }
    }

    private static @Nullable BigDecimal dollars(JsonNode price, String where) {
        if (price.isMissingNode() || price.isNull()) {
            return null;
        }
        boolean good = price.isNumber()
                && price.decimalValue().signum() >= 0
                && price.decimalValue().compareTo(BigDecimal.valueOf(1_000_000)) <= 0;
        require(good, where, "has a price that is none: dollars per million tokens, 0 to 1,000,000");
        return price.decimalValue();
    }

    private static String baseUrl(String url, String where) {
        try {
            var parsed = URI.create(url);
            boolean web = "https".equals(parsed.getScheme()) || "http".equals(parsed.getScheme());
            if (web && parsed.getHost() != null && parsed.getQuery() == null && parsed.getUserInfo() == null) {
                return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
            }
        } catch (IllegalArgumentException malformed) {
            // same answer as for one that is no web address
        }
        throw wrong(where, "needs base URLs such as https://api.example.com/v1, without user, query or key");
    }

    private static void known(JsonNode row, Set<String> members, String where) {
        for (var member : row.properties()) {
            require(members.contains(member.getKey()), where, "has a member nobody reads: " + member.getKey());
        }
    }

    private static void require(boolean good, String where, String what) {
        if (!good) {
            throw wrong(where, what);
        }
    }

    private static IllegalArgumentException wrong(String where, String what) {
        return new IllegalArgumentException(where + " " + what);
    }
}
