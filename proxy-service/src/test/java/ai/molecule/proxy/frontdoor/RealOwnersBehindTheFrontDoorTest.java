package ai.molecule.proxy.frontdoor;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An owner built on the shared kit judges hosts, origins and clients behind the front door as it would in front of it. */
@ExtendWith(VertxExtension.class)
class RealOwnersBehindTheFrontDoorTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "s3cret"})
    void in_development_loopback_hosts_pass_and_every_header_comes_once(String edgeSecret, Vertx vertx) {
        var proxy = platform(vertx, "MOLECULE_ENV", "development", "MOLECULE_EDGE_SECRET", edgeSecret);

        var answer = get(proxy, "Origin", "http://localhost:3000");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().getAll("Access-Control-Allow-Origin")).containsExactly("http://localhost:3000");
        assertThat(answer.headers().names().stream()
                        .filter(name -> answer.headers().getAll(name).size() > 1))
                .isEmpty();
        assertThat(answer.getHeader("X-Frame-Options")).isEqualTo("DENY");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s3cret"})
    void a_page_served_from_the_front_door_itself_is_of_the_same_origin(String edgeSecret, Vertx vertx) {
        var proxy = platform(vertx, "MOLECULE_EDGE_SECRET", edgeSecret);

        var answer = get(proxy, "Origin", "http://127.0.0.1:" + proxy.port);

        assertThat(answer.statusCode()).isEqualTo(200);
    }

    @Test
    void a_preflight_is_answered_at_the_front_door(Vertx vertx) {
        var proxy = platform(vertx);

        var answer = proxy.client
                .request(HttpMethod.OPTIONS, "/workspaces")
                .putHeader("Origin", "http://localhost:3000")
                .send()
                .await();

        assertThat(answer.statusCode()).isEqualTo(204);
        assertThat(answer.headers().getAll("Access-Control-Allow-Methods")).hasSize(1);
    }

    @Test
    void the_owner_takes_the_front_doors_word_for_the_clients_origin(Vertx vertx) {
        var proxy = platform(vertx, "MOLECULE_EDGE_SECRET", "s3cret");

        var answer = get(proxy, "X-Forwarded-For", "6.6.6.6");

        assertThat(answer.bodyAsString())
                .isEqualTo("{\"client\":\"127.0.0.1\",\"origin\":\"http://127.0.0.1:%d\"}".formatted(proxy.port));
    }

    private static HttpResponse<?> get(ProxyUnderTest proxy, String header, String value) {
        return proxy.client.get("/workspaces").putHeader(header, value).send().await();
    }

    private static ProxyUnderTest platform(Vertx vertx, String... env) {
        var service =
                ServiceContext.open(vertx, TestConfig.platform(env), "owner").await();
        var edge = new Edge(service.config());
        var page = new RoutePage(service, new Guards(service.config(), new BusCredentials(service.bus())))
                .get(
                        "/workspaces",
                        Guard.OPEN,
                        ctx -> Answers.json(
                                ctx,
                                Future.succeededFuture(Json.object()
                                        .put("client", edge.clientOf(ctx.request()))
                                        .put("origin", edge.originOf(ctx.request())))));
        var owner = service.listen(0, page.router()).await();
        List<String> all = new ArrayList<>(List.of(env));
        all.addAll(List.of("REGISTRY_URL", ProxyUnderTest.urlOf(owner)));
        return ProxyUnderTest.start(vertx, all.toArray(String[]::new));
    }
}
