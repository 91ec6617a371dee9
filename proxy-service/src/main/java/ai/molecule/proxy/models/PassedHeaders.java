package ai.molecule.proxy.models;

import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.Provider;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerResponse;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Which headers go to a provider and come back from it: what its protocol knows, and nothing of ours. */
final class PassedHeaders {

    private static final Set<String> THERE = Set.of(
            "content-type",
            "accept",
            "user-agent",
            "idempotency-key",
            "openai-beta",
            "http-referer",
            "x-title",
            "x-app");

    /** The one there is. */
    private static final String ANTHROPIC_VERSION = "2023-06-01";

    private static final Set<String> THERE_BEGINNING = Set.of("anthropic-", "x-stainless-", "x-goog-");

    private static final Set<String> BACK =
            Set.of("content-type", "retry-after", "retry-after-ms", "x-should-retry", "cache-control", "request-id");

    private static final Set<String> BACK_BEGINNING = Set.of("anthropic-", "openai-", "x-ratelimit-");

    private PassedHeaders() {}

    static MultiMap there(MultiMap sent, Provider.Auth auth, Optional<String> key) {
        var headers = MultiMap.caseInsensitiveMultiMap();
        for (var header : sent) {
            if (passes(header.getKey(), THERE, THERE_BEGINNING) && !isOurs(header.getKey())) {
                headers.add(header.getKey(), header.getValue());
            }
        }
        if (!headers.contains("Content-Type")) {
            headers.set("Content-Type", "application/json");
        }
        headers.set("Accept-Encoding", "identity"); // what is packed cannot be read on its way
        key.ifPresent(value -> headers.set(auth.header(), auth.value(value)));
        return headers;
    }

    /** Of a call that is translated: the caller's own are of another protocol. */
    static MultiMap spoken(ModelProtocol protocol) {
        var headers = MultiMap.caseInsensitiveMultiMap();
        return protocol == ModelProtocol.ANTHROPIC ? headers.set("anthropic-version", ANTHROPIC_VERSION) : headers;
    }

    static void back(HttpClientResponse answer, HttpServerResponse response) {
        for (var header : answer.headers()) {
            if (passes(header.getKey(), BACK, BACK_BEGINNING)) {
                response.headers().add(header.getKey(), header.getValue());
            }
        }
    }

    /** The key, and what would leave the usage out of an answer. */
    private static boolean isOurs(String name) {
        return name.equalsIgnoreCase("x-goog-api-key") || name.equalsIgnoreCase("x-goog-fieldmask");
    }

    private static boolean passes(String name, Set<String> names, Set<String> beginnings) {
        String lower = name.toLowerCase(Locale.ROOT);
        return names.contains(lower) || beginnings.stream().anyMatch(lower::startsWith);
    }
}
