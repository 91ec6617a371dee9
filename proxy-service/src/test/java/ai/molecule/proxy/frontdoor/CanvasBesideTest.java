package ai.molecule.proxy.frontdoor;

import static ai.molecule.proxy.ProxyUnderTest.seen;
import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.config.Env;
import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code CANVAS_PROXY_URL}: a canvas that runs beside the platform, under its origin. */
@ExtendWith(VertxExtension.class)
class CanvasBesideTest {

    @Test
    void the_root_and_whatever_nobody_owns_go_to_it_and_the_rest_stays(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx, "CANVAS_PROXY_URL", server(vertx, "canvas"), "EVENTS_URL", server(vertx, "events"));

        assertThat(seen(proxy.client.get("/").send().await())).isEqualTo("200 canvas GET / null null");
        assertThat(seen(proxy.client.get("/_next/a.js?v=1").send().await()))
                .isEqualTo("200 canvas GET /_next/a.js?v=1 null null");
        assertThat(proxy.client.head("/").send().await().statusCode()).isEqualTo(200);
        assertThat(seen(proxy.client.get("/ui/").send().await())).startsWith("200 events GET /ui/");
        assertThat(seen(proxy.client.get("/events").send().await())).startsWith("200 events GET /events");
        assertThat(seen(proxy.post("/nowhere", "{}"))).isEqualTo("404 {\"error\":\"not found\"}");
    }

    @Test
    void it_gets_no_credential_and_may_run_its_own_page(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "CANVAS_PROXY_URL", server(vertx, "canvas"));

        var page = proxy.client
                .get("/")
                .putHeader("Authorization", "Bearer secret")
                .putHeader("Cookie", "molecule_session=secret")
                .send()
                .await();

        assertThat(seen(page)).isEqualTo("200 canvas GET / null null");
        assertThat(page.getHeader("Content-Security-Policy")).contains("'unsafe-inline'");
        assertThat(page.headers().getAll("Content-Security-Policy")).hasSize(1);
    }

    @Test
    void a_page_without_a_session_is_led_to_where_one_is_made_and_back(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx,
                "CANVAS_PROXY_URL",
                server(vertx, "canvas"),
                "ADMIN_TOKEN",
                "root-token",
                "MOLECULE_BIND",
                "127.0.0.1");

        var led = proxy.client
                .get("/deep/link?a=b")
                .putHeader("Accept", "text/html,*/*")
                .followRedirects(false)
                .send()
                .await();
        var shown = proxy.client
                .get("/deep/link?a=b")
                .putHeader("Accept", "text/html")
                .putHeader("Authorization", "Bearer root-token")
                .send()
                .await();

        assertThat(led.statusCode()).isEqualTo(303);
        assertThat(led.getHeader("Location")).isEqualTo("/ui/?next=%2Fdeep%2Flink%3Fa%3Db");
        assertThat(seen(shown)).isEqualTo("200 canvas GET /deep/link?a=b null null");
        assertThat(seen(proxy.client.get("/_next/a.js").send().await())).startsWith("200 canvas");
    }

    @Test
    void when_it_is_away_only_its_pages_are(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx,
                "CANVAS_PROXY_URL",
                "http://127.0.0.1:" + TestStores.freePort(),
                "EVENTS_URL",
                server(vertx, "events"));

        assertThat(seen(proxy.client.get("/").send().await())).isEqualTo("502 {\"error\":\"canvas unavailable\"}");
        assertThat(proxy.client.get("/events").send().await().statusCode()).isEqualTo(200);
    }

    @Test
    void what_is_no_address_is_refused_at_the_start() {
        for (String wrong : new String[] {"canvas", "ftp://x", "http://x/path", "http://"}) {
            assertThatThrownBy(() -> Owners.fromEnv(new Env(Map.of("CANVAS_PROXY_URL", wrong))))
                    .hasMessage("CANVAS_PROXY_URL must look like http://host:port");
        }
    }

    /** Says who it is, what it was asked, and which credentials came along. */
    private static String server(Vertx vertx, String name) {
        return urlOf(vertx.createHttpServer()
                .requestHandler(request -> request.response()
                        .end("%s %s %s %s %s"
                                .formatted(
                                        name,
                                        request.method(),
                                        request.uri(),
                                        request.getHeader("Authorization"),
                                        request.getHeader("Cookie"))))
                .listen(0, "127.0.0.1")
                .await());
    }
}
