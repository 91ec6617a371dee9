package ai.molecule.common.models;

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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a table of providers, in the form of {@code models/providers.schema.json}. Every failure is an {@link IllegalArgumentException} that says which row is wrong. */
final class ProviderFile {

    private static final int FILE_MAX_BYTES = 1 << 20;
    private static final int PROVIDERS_MAX = 200;
    private static final int PRICES_MAX = 1_000;
    /** Before or behind the point: 1e-999999999 is short to write, and its sum with another price is not. */
    private static final int PRICE_DIGITS_MAX = 20;

    private static final int PARALLEL_DEFAULT = 256;
    private static final int PARALLEL_MAX = 2_000;
    private static final long REQUESTS_MAX = 1_000_000;
    private static final long TOKENS_MAX = 1_000_000_000_000L;
    private static final int FALLBACKS_MAX = 8;
    private static final int ALIASES_MAX = 1_000;
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
    private static final Pattern SECRET = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Pattern IN_A_BODY = Pattern.compile("[A-Za-z0-9._@:/-]{1,200}");
    private static final Set<String> SERVED = Set.of("chat", "responses");
    private static final Set<String> OUTPUT_LIMITS = Set.of("max_tokens", "max_completion_tokens");
    private static final Set<String> MEMBERS = Set.of(
            "name",
            "endpoints",
            "secret",
            "url_secret",
            "auth",
            "usage_on_request",
            "output_limit",
            "serves",
            "default_model",
            "parallel_max",
            "requests_per_minute",
            "tokens_per_minute",
            "fallbacks",
            "prices");
    private static final Set<String> ALIAS_MEMBERS = Set.of("name", "models");
    private static final Set<String> PRICE_MEMBERS =
            Set.of("model", "in", "out", "cached", "cache_write", "cache_write_hour", "beyond", "reasoning", "dated");
    private static final Set<String> BEYOND_MEMBERS =
            Set.of("tokens", "in", "out", "cached", "cache_write", "cache_write_hour");

    private ProviderFile() {}

    static byte[] operators(Path file) {
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

    /** @param aliases models by the names an operator gives them, each with those that stand in for it */
    static void add(Map<String, Provider> providers, Map<String, List<String>> aliases, byte[] text, String where) {
        JsonNode file;
        try {
            file = Json.parse(text);
        } catch (IOException malformed) {
            throw new IllegalArgumentException(where + " is not JSON: " + malformed.getMessage(), malformed);
        }
        var rows = file.path("providers");
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
        for (var row : file.path("aliases")) {
            String in = where + ": alias " + row.path("name").asText("without a name");
            known(row, ALIAS_MEMBERS, in);
            aliases.put(row.path("name").asText(), alias(row.path("name").asText(), row.path("models"), in));
        }
        require(aliases.size() <= ALIASES_MAX, where, "has more than " + ALIASES_MAX + " aliases");
        for (var provider : providers.values()) {
            provider.fallbacks().forEach(named -> exists(providers, named, where + ": provider " + provider.name()));
        }
        aliases.forEach((name, models) -> models.forEach(named -> exists(providers, named, where + ": alias " + name)));
    }

    /** The models an alias stands for. */
    static List<String> alias(String name, JsonNode list, String where) {
        require(NAME.matcher(name).matches(), where, "needs a name of lower-case letters, digits and dashes");
        var models = names(list, "models", where);
        require(!models.isEmpty(), where, "needs models, one at least");
        for (String model : models) {
            require(model.indexOf(':') > 0, where, "has a model that is not written as provider:model: " + model);
        }
        return models;
    }

    static void exists(Map<String, Provider> providers, String named, String where) {
        String provider = named.split(":", 2)[0];
        require(providers.containsKey(provider), where, "names a provider that there is none of: " + provider);
    }

    private static List<String> names(JsonNode list, String member, String where) {
        List<String> names = new ArrayList<>();
        require(list.isMissingNode() || list.isArray(), where, "has " + member + " that are no list");
        for (var name : list) {
            require(
                    name.isTextual() && IN_A_BODY.matcher(name.textValue()).matches(),
                    where,
                    "has " + member + " that are no names");
            names.add(name.textValue());
        }
        require(names.size() <= FALLBACKS_MAX, where, "has more than " + FALLBACKS_MAX + " " + member);
        return List.copyOf(names);
    }

    private static @Nullable Long perMinute(JsonNode row, String member, long max, String where) {
        var count = row.path(member);
        if (count.isMissingNode() || count.isNull()) {
            return null;
        }
        require(
                count.canConvertToLong() && count.longValue() >= 1 && count.longValue() <= max,
                where,
                member + " is 1 to " + max);
        return count.longValue();
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
        require(
                isSecret(secret) || secret.isNull(),
                where,
                "needs the name of a secret, or null when it asks for no key");
        JsonNode urlSecret = row.path("url_secret");
        require(
                isSecret(urlSecret) || urlSecret.isMissingNode() || urlSecret.isNull(),
                where,
                "has a url_secret that is no name of a secret");
        JsonNode model = row.path("default_model");
        require(
                model.isMissingNode()
                        || (model.isTextual()
                                && IN_A_BODY.matcher(model.textValue()).matches()),
                where,
                "has a default_model that is no name of a model");
        var auth = Provider.Auth.ofWire(row.path("auth").asText("bearer"))
                .orElseThrow(() -> wrong(where, "auth is one of bearer, x-api-key, api-key, x-goog-api-key"));
        String outputLimit = row.path("output_limit").asText("max_tokens");
        require(OUTPUT_LIMITS.contains(outputLimit), where, "output_limit is max_tokens or max_completion_tokens");
        var serves = names(row.path("serves"), "serves", where);
        require(SERVED.containsAll(serves), where, "serves chat, responses or both");
        int parallel = row.path("parallel_max").asInt(PARALLEL_DEFAULT);
        require(parallel >= 1 && parallel <= PARALLEL_MAX, where, "parallel_max is 1 to " + PARALLEL_MAX);
        List<ModelPrice> prices = new ArrayList<>();
        row.path("prices").forEach(price -> prices.add(price(price, where)));
        require(prices.size() <= PRICES_MAX, where, "has more than " + PRICES_MAX + " prices");
        return new Provider(
                name,
                endpoints,
                secret.textValue(),
                urlSecret.textValue(),
                auth,
                row.path("usage_on_request").asBoolean(false),
                outputLimit,
                serves.isEmpty() ? SERVED : Set.copyOf(serves),
                model.textValue(),
                parallel,
                new Provider.Pace(
                        perMinute(row, "requests_per_minute", REQUESTS_MAX, where),
                        perMinute(row, "tokens_per_minute", TOKENS_MAX, where)),
                names(row.path("fallbacks"), "fallbacks", where),
                List.copyOf(prices));
    }

    static ModelPrice price(JsonNode row, String where) {
        known(row, PRICE_MEMBERS, where);
        String model = row.path("model").asText();
        require(
                !model.isEmpty() && model.length() <= ProviderTable.MODEL_MAX_CHARS,
                where,
                "has a price without a model");
        var in = dollars(row.path("in"), where);
        var out = dollars(row.path("out"), where);
        if (in == null || out == null) {
            throw wrong(where, "needs in and out for " + model);
        }
        var reasoning = row.path("reasoning");
        require(
                reasoning.isBoolean() || reasoning.isMissingNode(),
                where,
                "has a reasoning that is neither true nor false for " + model);
        try {
            return new ModelPrice(
                    model,
                    in,
                    out,
                    dollars(row.path("cached"), where),
                    dollars(row.path("cache_write"), where),
                    dollars(row.path("cache_write_hour"), where),
                    beyond(row.path("beyond"), where),
                    reasoning.asBoolean(false),
                    LocalDate.parse(row.path("dated").asText()));
        } catch (DateTimeException undated) {
            throw wrong(where, "needs the day on which the price of " + model + " was looked up, as 2026-01-31");
        }
    }

    private static ModelPrice.@Nullable Beyond beyond(JsonNode row, String where) {
        if (row.isMissingNode()) {
            return null;
        }
        known(row, BEYOND_MEMBERS, where);
        var in = dollars(row.path("in"), where);
        var out = dollars(row.path("out"), where);
        if (in == null
                || out == null
                || !row.path("tokens").canConvertToLong()
                || row.path("tokens").longValue() < 1) {
            throw wrong(where, "needs tokens, in and out for what lies beyond");
        }
        return new ModelPrice.Beyond(
                row.path("tokens").longValue(),
                in,
                out,
                dollars(row.path("cached"), where),
                dollars(row.path("cache_write"), where),
                dollars(row.path("cache_write_hour"), where));
    }

    private static boolean isSecret(JsonNode name) {
        return name.isTextual() && SECRET.matcher(name.textValue()).matches();
    }

    private static @Nullable BigDecimal dollars(JsonNode price, String where) {
        if (price.isMissingNode() || price.isNull()) {
            return null;
        }
        boolean good = price.isNumber()
                && price.decimalValue().signum() >= 0
                && price.decimalValue().compareTo(BigDecimal.valueOf(1_000_000)) <= 0
                && Math.abs(price.decimalValue().scale()) <= PRICE_DIGITS_MAX;
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

    static void known(JsonNode row, Set<String> members, String where) {
        for (var member : row.properties()) {
            require(members.contains(member.getKey()), where, "has a member nobody reads: " + member.getKey());
        }
    }

    static void require(boolean good, String where, String what) {
        if (!good) {
            throw wrong(where, what);
        }
    }

    private static IllegalArgumentException wrong(String where, String what) {
        return new IllegalArgumentException(where + " " + what);
    }
}
