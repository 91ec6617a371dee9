package ai.molecule.registry.signins;

import static java.nio.charset.StandardCharsets.UTF_8;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.common.net.SafeDialer;
import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.jwk.JWKSet;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.URLEncoder;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Speaks with one provider. What it says of itself is believed for an hour, and its keys until a token names one that is not among them:
 * then they are read anew, though not more often than twice a minute. To be used on one event loop.
 */
public final class OidcClient {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration DOCUMENT_AGE_MAX = Duration.ofHours(1);
    private static final Duration KEYS_AGE_MIN = Duration.ofSeconds(30);
    private static final Duration KEYS_AGE_MAX = Duration.ofHours(1);
    private static final int ANSWER_MAX_BYTES = 256 * 1024;
    private static final int OK = 200;

    private record Kept<T>(T value, Instant since) {

        boolean isYoungerThan(Duration age, Instant now) {
            return since.plus(age).isAfter(now);
        }
    }

    private final OidcProvider provider;
    private final SafeDialer dialer;
    private final Clock clock;
    private @Nullable Kept<ProviderDocument> document;
    private @Nullable Kept<JWKSet> keys;

    OidcClient(OidcProvider provider, SafeDialer dialer, Clock clock) {
        this.provider = provider;
        this.dialer = dialer;
        this.clock = clock;
    }

    OidcProvider provider() {
        return provider;
    }

    Future<ProviderDocument> document() {
        var kept = document;
        if (kept != null && kept.isYoungerThan(DOCUMENT_AGE_MAX, clock.instant())) {
            return Future.succeededFuture(kept.value);
        }
        String base = provider.issuer().replaceAll("/$", "");
        return read(HttpMethod.GET, base + "/.well-known/openid-configuration", null, false)
                .map(said -> ProviderDocument.of(said, provider))
                .onSuccess(said -> document = new Kept<>(said, clock.instant()));
    }

    /** The token that a code is exchanged for. @param verifier of the challenge that the code was asked with */
    Future<IdToken> exchange(String code, String verifier, String redirectUri) {
        return document().compose(said -> {
            var form = new LinkedHashMap<String, String>();
            form.put("grant_type", "authorization_code");
            form.put("code", code);
            form.put("redirect_uri", redirectUri);
            form.put("code_verifier", verifier);
            String secret = provider.clientSecret();
            boolean inHeader = secret != null && !said.secretInBody();
            if (!inHeader) {
                form.put("client_id", provider.clientId());
                if (secret != null) {
                    form.put("client_secret", secret);
                }
            }
            return read(HttpMethod.POST, said.token(), form, inHeader)
                    .map(answer -> IdToken.parse(answer.path("id_token").asText()));
        });
    }

    /** With keys that have the one the token names, as far as the provider has it. */
    Future<IdToken.Vouched> check(IdToken token, String nonce) {
        return keysFor(token).map(known -> token.check(known, provider, nonce, clock.instant()));
    }

    /** As {@link #check}, of what tells that somebody signed out there. */
    Future<IdToken.SignedOut> checkLogout(IdToken token) {
        return keysFor(token).map(known -> token.checkLogout(known, provider, clock.instant()));
    }

    private Future<JWKSet> keysFor(IdToken token) {
        var kept = keys;
        var now = clock.instant();
        boolean known = kept != null && token.isSignedWithOneOf(kept.value);
        if (kept != null
                && (kept.isYoungerThan(KEYS_AGE_MIN, now) || (known && kept.isYoungerThan(KEYS_AGE_MAX, now)))) {
            return Future.succeededFuture(kept.value);
        }
        return document()
                .compose(said -> read(HttpMethod.GET, said.keys(), null, false))
                .map(OidcClient::keySet)
                .onSuccess(fresh -> keys = new Kept<>(fresh, clock.instant()));
    }

    private static JWKSet keySet(JsonNode said) {
        try {
            return JWKSet.parse(Json.text(said));
        } catch (ParseException malformed) {
            throw new WrongSignIn("the provider's keys cannot be read");
        }
    }

    private Future<JsonNode> read(
            HttpMethod method, String url, @Nullable Map<String, String> form, boolean withSecret) {
        var opening =
                dialer.open(method, url, true); // an operator names the provider, so it may be in a private network
        return opening.compose(request -> {
                    request.putHeader("Accept", "application/json");
                    if (withSecret) {
                        request.putHeader("Authorization", "Basic " + basic());
                    }
                    return form == null
                            ? request.send()
                            : request.putHeader("Content-Type", "application/x-www-form-urlencoded")
                                    .send(Buffer.buffer(encoded(form)));
                })
                .compose(OidcClient::bodyOf)
                .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(failed -> opening.onSuccess(HttpClientRequest::reset))
                .recover(failed -> Future.failedFuture(
                        failed instanceof WrongSignIn
                                ? failed
                                : new ApiError(ApiError.Kind.BAD_GATEWAY, "the sign-in provider does not answer")));
    }

    private static Future<JsonNode> bodyOf(HttpClientResponse response) {
        var body = Buffer.buffer();
        response.handler(part -> {
            body.appendBuffer(part);
            if (body.length() > ANSWER_MAX_BYTES) {
                response.request().reset();
            }
        });
        return response.end().map(ended -> {
            if (response.statusCode() != OK) {
                throw new WrongSignIn("the provider answered " + response.statusCode());
            }
            try {
                return Json.parse(body.getBytes());
            } catch (IOException malformed) {
                throw new WrongSignIn("the provider's answer cannot be read");
            }
        });
    }

    /** Both parts encoded before they are joined, as RFC 6749 2.3.1 has it. */
    private String basic() {
        String pair = encoded(provider.clientId()) + ":" + encoded(String.valueOf(provider.clientSecret()));
        return Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
    }

    static String encoded(Map<String, String> form) {
        return form.entrySet().stream()
                .map(member -> encoded(member.getKey()) + "=" + encoded(member.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }
}
