package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.Provider;
import ai.molecule.proxy.models.ModelAliases.Alias;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What a workspace may use: the providers whose key exists, of those the models that the table knows by name, and what an operator or its
 * organisation gave a name.
 */
record ModelList(List<Entry> entries, List<Alias> aliases) {

    /** @param ready whether its key exists, and its address */
    private record Entry(Provider provider, boolean ready) {

        Stream<ModelPrice> models() {
            return provider.prices().stream().filter(price -> !price.model().equals(ModelPrice.ANY));
        }

        /** Its own, or one that is translated. */
        boolean isReachedBy(ModelProtocol protocol) {
            return provider.endpoints().containsKey(protocol)
                    || Stream.of(ModelOperation.CHAT, ModelOperation.MESSAGES)
                            .filter(operation -> operation.protocol() == protocol)
                            .anyMatch(this::isTranslated);
        }

        boolean isTranslated(ModelOperation operation) {
            return operation.at(provider).filter(at -> at != operation).isPresent();
        }
    }

    private static final int NAME_MAX_CHARS = 256;

    /** Anthropic lists when a model came out, which is not known here. */
    private static final String NO_TIME = "1970-01-01T00:00:00Z";

    static Future<ModelList> of(ModelCalls calls, UUID workspaceId) {
        return calls.priced().compose(table -> {
            var asked = table.all().stream()
                    .map(provider -> calls.mayUse(workspaceId, provider)
                            .map(key -> new Entry(
                                    provider, key && !provider.endpoints().isEmpty())))
                    .toList();
            return Future.all(asked)
                    .compose(all -> calls.aliases().of(workspaceId))
                    .map(aliases ->
                            new ModelList(asked.stream().map(Future::result).toList(), aliases));
        });
    }

    /** By the secrets and aliases for all alone. */
    static Future<ModelList> ofAll(ModelCalls calls) {
        return calls.priced()
                .compose(table -> calls.usableByAll()
                        .map(usable -> new ModelList(
                                table.all().stream()
                                        .map(provider -> new Entry(
                                                provider,
                                                usable.contains(provider.name())
                                                        && !provider.endpoints().isEmpty()))
                                        .toList(),
                                table.aliases().entrySet().stream()
                                        .map(alias -> new Alias(alias.getKey(), alias.getValue(), null))
                                        .toList())));
    }

    /** {@code {"aliases":[{"name", "ready", "models"}],"providers":[{"name", "ready", "secret", "models"}]}}: names, and never a key. */
    ObjectNode names() {
        var body = Json.object();
        var named = body.putArray("aliases");
        aliases.forEach(alias -> {
            var row = named.addObject().put("name", alias.name()).put("ready", isReady(alias.models(), entry -> true));
            alias.models().forEach(row.putArray("models")::add);
        });
        var list = body.putArray("providers");
        entries.forEach(entry -> {
            var provider = entry.provider;
            var models = list.addObject()
                    .put("name", provider.name())
                    .put("ready", entry.ready)
                    .put("secret", provider.secret())
                    .putArray("models");
            entry.models().forEach(price -> models.add(provider.name() + ":" + price.model()));
        });
        return body;
    }

    ObjectNode whole() {
        var body = Json.object();
        var list = body.putArray("providers");
        for (var entry : entries) {
            var provider = entry.provider;
            var row = list.addObject().put("name", provider.name()).put("ready", entry.ready);
            var protocols = row.putArray("protocols");
            Stream.of(ModelProtocol.values())
                    .filter(entry::isReachedBy)
                    .forEach(protocol -> protocols.add(protocol.wireName()));
            var translated = row.putArray("translated");
            Stream.of(ModelOperation.CHAT, ModelOperation.RESPONSES, ModelOperation.MESSAGES)
                    .filter(entry::isTranslated)
                    .forEach(operation -> translated.add(operation.wireName()));
            row.put("secret", provider.secret());
            var models = row.putArray("models");
            provider.prices()
                    .forEach(price -> models.addObject()
                            .put("model", provider.name() + ":" + price.model())
                            .put("in", price.in())
                            .put("out", price.out())
                            .put("cached", price.cached())
                            .put("cache_write", price.cacheWrite())
                            .put("cache_write_hour", price.cacheWriteHour())
                            .put("dated", price.dated().toString()));
        }
        var named = body.putArray("aliases");
        aliases.forEach(alias -> {
            var row = named.addObject().put("name", alias.name()).put("ready", isReady(alias.models(), entry -> true));
            alias.models().forEach(row.putArray("models")::add);
        });
        return body;
    }

    private boolean isReady(List<String> models, Predicate<Entry> wanted) {
        return entries.stream()
                .filter(entry -> entry.ready && wanted.test(entry))
                .anyMatch(entry -> models.stream().anyMatch(model -> model.startsWith(entry.provider.name() + ":")));
    }

    ObjectNode in(ModelProtocol protocol) {
        Predicate<Entry> speaks = entry -> entry.isReachedBy(protocol);
        var names = Stream.concat(
                        aliases.stream()
                                .filter(alias -> isReady(alias.models(), speaks))
                                .map(Alias::name),
                        entries.stream()
                                .filter(entry -> entry.ready && speaks.test(entry))
                                .flatMap(entry ->
                                        entry.models().map(price -> nameOf(protocol, entry.provider, price.model()))))
                .toList();
        return switch (protocol) {
            case OPENAI -> openai(names);
            case ANTHROPIC -> anthropic(names);
            case GOOGLE -> google(names);
        };
    }

    /**
     * One model, as the provider of that protocol's name shows its own. Whether it is known there only its provider can say, so a name that
     * could be asked for is shown, and NOT_FOUND is what no provider with a key answers.
     */
    ObjectNode one(ModelProtocol protocol, String name) {
        int colon = name.indexOf(':');
        String provider = colon < 0 ? protocol.wireName() : name.substring(0, colon);
        boolean known = aliases.stream()
                        .anyMatch(alias -> alias.name().equals(name)
                                && isReady(alias.models(), entry -> entry.isReachedBy(protocol)))
                || (!name.substring(colon + 1).isEmpty()
                        && entries.stream()
                                .anyMatch(entry -> entry.ready
                                        && entry.isReachedBy(protocol)
                                        && entry.provider.name().equals(provider)));
        if (!known || name.length() > NAME_MAX_CHARS) {
            throw ApiError.notFound(
                    "no model that this workspace may use is called so: GET %s lists them, and GET /models says which key is missing"
                            .formatted(
                                    protocol == ModelProtocol.GOOGLE
                                            ? "/models/google/v1beta/models"
                                            : "/models/" + protocol.wireName() + "/v1/models"));
        }
        return switch (protocol) {
            case OPENAI -> openai(name);
            case ANTHROPIC -> anthropic(name);
            case GOOGLE -> google(name);
        };
    }

    private static String nameOf(ModelProtocol protocol, Provider provider, String model) {
        return provider.name().equals(protocol.wireName()) ? model : provider.name() + ":" + model;
    }

    private static ObjectNode openai(List<String> names) {
        var body = Json.object().put("object", "list");
        var data = body.putArray("data");
        names.forEach(name -> data.add(openai(name)));
        return body;
    }

    private static ObjectNode openai(String name) {
        return Json.object()
                .put("id", name)
                .put("object", "model")
                .put("created", 0)
                .put("owned_by", "molecule");
    }

    private static ObjectNode anthropic(List<String> names) {
        var body = Json.object();
        var data = body.putArray("data");
        names.forEach(name -> data.add(anthropic(name)));
        return body.put("has_more", false)
                .put("first_id", names.isEmpty() ? null : names.getFirst())
                .put("last_id", names.isEmpty() ? null : names.getLast());
    }

    private static ObjectNode anthropic(String name) {
        return Json.object()
                .put("type", "model")
                .put("id", name)
                .put("display_name", name)
                .put("created_at", NO_TIME);
    }

    private static ObjectNode google(List<String> names) {
        var body = Json.object();
        var models = body.putArray("models");
        names.forEach(name -> models.add(google(name)));
        return body;
    }

    private static ObjectNode google(String name) {
        var model = Json.object().put("name", "models/" + name).put("displayName", name);
        var methods = model.putArray("supportedGenerationMethods");
        Stream.of("generateContent", "streamGenerateContent", "countTokens").forEach(methods::add);
        return model;
    }
}
