package ai.molecule.registry;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A provider of OpenID Connect on a free port, which says yes to everybody, and errs as a test wants it to. */
final class TestProvider implements AutoCloseable {

    static final String CLIENT = "molecule-test";
    static final String SECRET = "a client's secret";

    final Map<String, String> lastForm = new ConcurrentHashMap<>();
    final AtomicInteger keysRead = new AtomicInteger();
    volatile UnaryOperator<JWTClaimsSet.Builder> claims = same -> same;
    volatile UnaryOperator<String> idToken = same -> same;
    volatile RSAKey key = newKey("one");
    volatile JWKSet published = new JWKSet(key.toPublicJWK());
    volatile boolean namesItself = true;
    volatile String nonce = "";

    private final HttpServer server;
    private final Clock clock;

    TestProvider(Vertx vertx, Clock clock) {
        this.clock = clock;
        this.server = vertx.createHttpServer()
                .requestHandler(this::answer)
                .listen(0, "127.0.0.1")
                .await();
    }

    String issuer() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    static RSAKey newKey(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (JOSEException everyJdkCan) {
            throw new IllegalStateException(everyJdkCan);
        }
    }

    private void answer(HttpServerRequest request) {
        switch (String.valueOf(request.path())) {
            case "/.well-known/openid-configuration" -> json(request, document());
            case "/keys" -> {
                keysRead.incrementAndGet();
                json(request, new JsonObject(published.toString()));
            }
            case "/token" ->
                request.body().onSuccess(body -> {
                    lastForm.clear();
                    lastForm.putAll(form(body.toString()));
                    lastForm.put("authorization", String.valueOf(request.getHeader("Authorization")));
                    json(request, new JsonObject().put("id_token", idToken.apply(token())));
                });
            default -> request.response().setStatusCode(404).end();
        }
    }

    private JsonObject document() {
        return new JsonObject()
                .put("issuer", issuer())
                .put("authorization_endpoint", issuer() + "/authorize")
                .put("token_endpoint", issuer() + "/token")
                .put("jwks_uri", issuer() + "/keys")
                .put("end_session_endpoint", issuer() + "/end")
                .put("authorization_response_iss_parameter_supported", namesItself);
    }

    String token() {
        try {
            var now = clock.instant();
            var built = claims.apply(new JWTClaimsSet.Builder()
                            .issuer(issuer())
                            .subject("subject-1")
                            .audience(CLIENT)
                            .issueTime(Date.from(now))
                            .expirationTime(Date.from(now.plus(Duration.ofMinutes(5))))
                            .claim("nonce", nonce)
                            .claim("email", "kim@example.org")
                            .claim("email_verified", true)
                            .claim("name", "Kim"))
                    .build();
            var jwt = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.RS256)
                            .keyID(key.getKeyID())
                            .build(),
                    built);
            jwt.sign(new RSASSASigner(key));
            return jwt.serialize();
        } catch (JOSEException unfit) {
            throw new IllegalStateException(unfit);
        }
    }

    /** As it tells that somebody signed out. */
    String logoutToken(UnaryOperator<JWTClaimsSet.Builder> changed) {
        return logoutToken("logout+jwt", changed);
    }

    String logoutToken(String type, UnaryOperator<JWTClaimsSet.Builder> changed) {
        try {
            var now = clock.instant();
            var jwt = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.RS256)
                            .keyID(key.getKeyID())
                            .type(new JOSEObjectType(type))
                            .build(),
                    changed.apply(new JWTClaimsSet.Builder()
                                    .issuer(issuer())
                                    .subject("subject-1")
                                    .audience(CLIENT)
                                    .issueTime(Date.from(now))
                                    .expirationTime(Date.from(now.plus(Duration.ofMinutes(2))))
                                    .jwtID(UUID.randomUUID().toString())
                                    .claim(
                                            "events",
                                            Map.of("http://schemas.openid.net/event/backchannel-logout", Map.of())))
                            .build());
            jwt.sign(new RSASSASigner(key));
            return jwt.serialize();
        } catch (JOSEException unfit) {
            throw new IllegalStateException(unfit);
        }
    }

    static Map<String, String> form(String text) {
        var members = new HashMap<String, String>();
        for (String pair : text.split("&", -1)) {
            String[] parts = pair.split("=", 2);
            if (parts.length == 2) {
                members.put(decoded(parts[0]), decoded(parts[1]));
            }
        }
        return members;
    }

    private static String decoded(String text) {
        return Objects.requireNonNull(URLDecoder.decode(text, StandardCharsets.UTF_8));
    }

    private static void json(HttpServerRequest request, JsonObject body) {
        request.response().putHeader("Content-Type", "application/json").end(body.encode());
    }

    @Override
    public void close() {
        server.close().await();
    }
}
