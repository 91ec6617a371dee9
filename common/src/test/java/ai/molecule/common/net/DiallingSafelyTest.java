package ai.molecule.common.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The dialer against real servers on loopback. */
@ExtendWith(VertxExtension.class)
class DiallingSafelyTest {

    private static final Duration CONNECT = Duration.ofSeconds(2);

    @Test
    void an_allowed_url_is_reached_with_its_own_path_query_and_host(Vertx vertx) {
        var server = vertx.createHttpServer()
                .requestHandler(request -> request.response().end(request.uri() + " " + request.authority()))
                .listen(0, "127.0.0.1")
                .await();
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(true, false), CONNECT);

        String url = "http://localhost:" + server.actualPort() + "/a/b?c=d";
        var body = dialer.open(HttpMethod.GET, url, false)
                .compose(request -> request.send())
                .compose(response -> response.body())
                .await();

        assertThat(body.toString()).isEqualTo("/a/b?c=d localhost:" + server.actualPort());
    }

    @Test
    void a_refused_address_is_not_connected_to_unless_the_platform_recorded_it(Vertx vertx) {
        var server = vertx.createHttpServer()
                .requestHandler(request -> request.response().end("reached"))
                .listen(0, "127.0.0.1")
                .await();
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(false, false), CONNECT);
        String url = "http://127.0.0.1:" + server.actualPort();

        assertThatThrownBy(() -> dialer.open(HttpMethod.GET, url, false).await())
                .hasMessage("workspace URL is not publicly routable");
        assertThat(dialer.open(HttpMethod.GET, url, true)
                        .compose(request -> request.send())
                        .compose(response -> response.body())
                        .await()
                        .toString())
                .isEqualTo("reached");
    }

    @Test
    void a_name_that_resolves_to_nothing_is_refused_and_a_closed_port_is_not(Vertx vertx) {
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(true, false), CONNECT);

        assertThatThrownBy(() -> dialer.open(HttpMethod.GET, "http://no-such-host.invalid/", false)
                        .await())
                .hasMessage("workspace URL is not publicly routable");
        assertThatThrownBy(() ->
                        dialer.open(HttpMethod.GET, "ftp://localhost/", false).await())
                .hasMessage("workspace URL is not publicly routable");
        assertThatThrownBy(() -> dialer.open(HttpMethod.GET, "http://127.0.0.1:1/", false)
                        .await())
                .isInstanceOf(ConnectException.class);
    }
}
