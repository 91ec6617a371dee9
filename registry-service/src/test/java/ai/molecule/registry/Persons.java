package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.testing.TestStores;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisAPI;
import io.vertx.redis.client.Response;
import java.util.stream.Stream;

/** People of a running registry, and the browsers they sit at. */
record Persons(RunningRegistry registry, WebClient browser) implements AutoCloseable {

    /** Whose tries are not counted yet: tests of the same minute come from one address, and share a Redis. */
    static Persons of(RunningRegistry registry) {
        var redis = Redis.createClient(registry.vertx, TestStores.redisUrl());
        var api = RedisAPI.api(redis);
        var counted = Stream.of("*rate:*", "*passwords:*")
                .flatMap(keys -> api.keys(keys).await().stream())
                .map(Response::toString)
                .toList();
        if (!counted.isEmpty()) {
            api.del(counted).await();
        }
        redis.close();
        return new Persons(registry, WebClient.create(registry.vertx));
    }

    static String passwordOf(String login) {
        return "the password of " + login;
    }

    /** Invited, come by the link; answers the session's token. @param role members of the body */
    String come(String login, String role) {
        var invited = registry.post("/people", "{\"login\":\"%s\",%s}".formatted(login, role), ADMIN);
        assertThat(invited.status()).as(invited.toString()).isEqualTo(201);
        return sessionOf(post(
                "/people/accept",
                "{\"link\":\"%s\",\"password\":\"%s\"}".formatted(linkIn(invited.text("link")), passwordOf(login))));
    }

    static String linkIn(String url) {
        return url.split("#link=", 2)[1].split("&", 2)[0];
    }

    HttpResponse<Buffer> signIn(String login, String password, String... headers) {
        return post("/session", "{\"login\":\"%s\",\"password\":\"%s\"}".formatted(login, password), headers);
    }

    HttpResponse<Buffer> post(String path, String body, String... headers) {
        return send(HttpMethod.POST, path, body, headers);
    }

    HttpResponse<Buffer> send(HttpMethod method, String path, String body, String... headers) {
        var request = browser.request(method, registry.verticle.actualPort(), "127.0.0.1", path)
                .followRedirects(false);
        for (int i = 0; i < headers.length; i += 2) {
            request.putHeader(headers[i], headers[i + 1]);
        }
        return request.sendBuffer(Buffer.buffer(body)).await();
    }

    /** The session's token: what the cookie holds, and what the page keeps. */
    static String sessionOf(HttpResponse<Buffer> answer) {
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isLessThan(400);
        return cookie(answer, "molecule_session") + "." + new JsonObject(answer.bodyAsString()).getString("csrf_token");
    }

    /** The headers by which a page shows a session. */
    static String[] shown(String session, String... more) {
        String[] halves = session.split("\\.", 2);
        return Stream.concat(
                        Stream.of("Cookie", "theme=dark; molecule_session=" + halves[0], "X-Molecule-CSRF", halves[1]),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    static String cookie(HttpResponse<Buffer> answer, String name) {
        return answer.cookies().stream()
                .filter(cookie -> cookie.startsWith(name + "="))
                .map(cookie -> cookie.substring(name.length() + 1, cookie.indexOf(';')))
                .findFirst()
                .orElse("");
    }

    @Override
    public void close() {
        browser.close();
    }
}
