package ai.molecule.proxy.frontdoor;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The owner hears from the front door who asks and how; what belongs to one connection or is judged here stays here. */
@ExtendWith(VertxExtension.class)
class PassingHeadersOnTest {

    private volatile MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    private volatile String authority = "";

    @Test
    void two_bearers_arrive_in_their_order(Vertx vertx) {
        var proxy = behind(vertx, this::remember);

        Reading.of(
                        vertx,
                        HttpMethod.GET,
                        proxy.port,
                        "/workspaces",
                        "",
                        "Authorization",
                        "Bearer one",
                        "Authorization",
                        "Bearer two")
                .end
                .join();

        assertThat(headers.getAll("Authorization")).containsExactly("Bearer one", "Bearer two");
    }

    @Test
    void the_owner_is_told_who_asks_by_the_front_door_and_nobody_else(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx,
                "REGISTRY_URL",
                urlOf(ProxyUnderTest.serve(vertx, this::remember)),
                "MOLECULE_EDGE_SECRET",
                "s3cret");

        Reading.of(
                        vertx,
                        HttpMethod.GET,
                        proxy.port,
                        "/workspaces",
                        "",
                        "X-Forwarded-For",
                        "6.6.6.6",
                        "X-Forwarded-Host",
                        "evil",
                        "X-Forwarded-Proto",
                        "https",
                        "Forwarded",
                        "for=6.6.6.6",
                        "X-Molecule-Edge",
                        "guess",
                        "X-Request-Id",
                        "r-9")
                .end
                .join();

        assertThat(headers.getAll("X-Forwarded-For")).containsExactly("127.0.0.1");
        assertThat(headers.getAll("X-Forwarded-Proto")).containsExactly("http");
        assertThat(headers.getAll("X-Forwarded-Host")).containsExactly("127.0.0.1:" + proxy.port);
        assertThat(headers.getAll("X-Molecule-Edge")).containsExactly("s3cret");
        assertThat(headers.getAll("X-Request-Id")).containsExactly("r-9");
        assertThat(headers.contains("Forwarded")).isFalse();
        assertThat(authority).isEqualTo("127.0.0.1:" + proxy.port);
    }

    @Test
    void headers_of_one_connection_stay_on_it(Vertx vertx) {
        var proxy = behind(vertx, this::remember);

        Reading.of(
                        vertx,
                        HttpMethod.GET,
                        proxy.port,
                        "/workspaces",
                        "",
                        "Connection",
                        "X-Hop, keep-alive",
                        "X-Hop",
                        "1",
                        "TE",
                        "trailers",
                        "X-End",
                        "2")
                .end
                .join();

        assertThat(headers.contains("X-Hop")).isFalse();
        assertThat(headers.contains("TE")).isFalse();
        assertThat(headers.get("X-End")).isEqualTo("2");
    }

    @Test
    void what_owners_judge_by_is_no_header_of_one_connection(Vertx vertx) {
        var proxy = behind(vertx, this::remember);
        var agent = UUID.randomUUID(); // the mark makes the front door the agents' door
        String bearer = "Bearer " + proxy.platform.tokenOf(agent);

        Reading.of(
                        vertx,
                        HttpMethod.GET,
                        proxy.port,
                        "/workspaces",
                        "",
                        "Connection",
                        "Authorization, X-Workspace-ID, x-molecule-agents-entrance",
                        "Authorization",
                        bearer,
                        "X-Workspace-ID",
                        agent.toString(),
                        "X-Molecule-Agents-Entrance",
                        "1")
                .end
                .join();

        assertThat(headers.get("Authorization")).isEqualTo(bearer);
        assertThat(headers.get("X-Workspace-ID")).isEqualTo(agent.toString());
        assertThat(headers.get("X-Molecule-Agents-Entrance")).isEqualTo("1");
    }

    @Test
    void origins_and_limits_are_judged_here_once_and_no_header_comes_twice(Vertx vertx) {
        var proxy = behind(
                vertx,
                request -> json(
                        request.response()
                                .putHeader("Access-Control-Allow-Origin", "*")
                                .putHeader("X-Frame-Options", "SAMEORIGIN")
                                .putHeader("X-RateLimit-Limit", "1")
                                .putHeader("X-Request-Id", "another")
                                .putHeader("Set-Cookie", (Iterable<String>) List.of("a=1", "b=2")),
                        "{}"));

        var answer = Reading.of(vertx, HttpMethod.GET, proxy.port, "/workspaces", "", "Origin", "http://localhost:3000")
                .response
                .headers();

        assertThat(answer.getAll("Access-Control-Allow-Origin")).containsExactly("http://localhost:3000");
        assertThat(answer.getAll("X-Frame-Options")).containsExactly("SAMEORIGIN");
        assertThat(answer.getAll("X-RateLimit-Limit")).containsExactly("1000000");
        assertThat(answer.getAll("X-Request-Id")).hasSize(1).doesNotContain("another");
        assertThat(answer.getAll("Set-Cookie")).containsExactly("a=1", "b=2");
    }

    @Test
    void a_foreign_origin_never_reaches_an_owner(Vertx vertx) {
        var proxy = behind(vertx, this::remember);

        var refused = proxy.post("/workspaces", "{}", "Origin", "http://evil.example");

        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(headers.isEmpty()).isTrue();
    }

    @Test
    void the_owner_sees_the_host_the_client_named(Vertx vertx) {
        var proxy = behind(vertx, this::remember);

        proxy.client.get("/workspaces").virtualHost("console.example").send().await();

        assertThat(headers.get("Host"))
                .isEqualTo(headers.get("X-Forwarded-Host"))
                .startsWith("console.example");
    }

    private void remember(HttpServerRequest request) {
        headers = request.headers();
        authority = String.valueOf(request.authority());
        request.body().onSuccess(body -> json(request.response(), "{}"));
    }

    private static ProxyUnderTest behind(Vertx vertx, Handler<HttpServerRequest> registry) {
        return ProxyUnderTest.start(vertx, "REGISTRY_URL", urlOf(ProxyUnderTest.serve(vertx, registry)));
    }
}
