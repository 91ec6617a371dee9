package ai.molecule.common.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

        assertThat(bodyOf(vertx, dialer, url, false)).isEqualTo("/a/b?c=d localhost:" + server.actualPort());
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
        assertThat(bodyOf(vertx, dialer, url, true)).isEqualTo("reached");
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

    @Test
    void a_connection_is_kept_no_longer_than_its_server_keeps_it_and_never_longer_than_we_would(Vertx vertx) {
        var connections = new AtomicInteger();
        var server = vertx.createHttpServer()
                .connectionHandler(connection -> connections.incrementAndGet())
                .requestHandler(request -> request.response()
                        .putHeader("Keep-Alive", request.query())
                        .end())
                .listen(0, "127.0.0.1")
                .await();
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(true, false), CONNECT);

        for (String said : List.of("timeout=5", "timeout=60,max=9", "Timeout=12", "max=1", "timeout=4", "timeout=1")) {
            var response = dialer.open(HttpMethod.GET, "http://localhost:" + server.actualPort() + "/?" + said, false)
                    .compose(request -> request.send())
                    .compose(answer -> answer.end().map(answer))
                    .await();
            assertThat(response.getHeader("Keep-Alive")).isNull();
        }

        assertThat(connections).hasValue(2); // one for all up to the first that said too little, and one for the last
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://2130706433/",
                "http://0177.0.0.1/",
                "http://0x7f.1/",
                "http://8.8.8.010/",
                "http://8.8.8.8./",
                "http://134744072/",
                "http://0x7f000001/",
                "http://127.1/",
                "http://127.0.0.1./",
                "http://localhost/",
                "http://LOCALHOST./",
                "http://0/",
                "http://0.0.0.0/",
                "http://[::]/",
                "http://[::1]/",
                "http://[0:0:0:0:0:0:0:1]/",
                "http://[::ffff:127.0.0.1]/",
                "http://[::ffff:7f00:1]/",
                "http://[::127.0.0.1]/",
                "http://[64:ff9b::7f00:1]/",
                "http://[fe80::1%25lo]/",
                "http://169.254.169.254/latest/meta-data/",
                "http://2852039166/",
                "http://metadata.google.internal/",
                "http://user@8.8.8.8/",
                "http://8.8.8.8@127.0.0.1/",
                "http://8.8.8.8:80@127.0.0.1/",
                "http://127.0.0.1#@8.8.8.8/",
                "http://127.0.0.1\\@8.8.8.8/",
                "http://8.8.8.8:99999/",
                "http://8.8.8.8 /",
                "http:///path",
                "http:8.8.8.8",
                "//8.8.8.8/",
                "8.8.8.8",
                "",
                "ftp://8.8.8.8/",
                "file:///etc/passwd",
                "gopher://8.8.8.8/",
                "jar:http://8.8.8.8!/",
                "javascript:alert(1)",
                "ws://8.8.8.8/",
                "unix:/var/run/docker.sock"
            })
    void however_a_dangerous_url_is_written_it_is_refused(String url, Vertx vertx) {
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(false, false), CONNECT);

        assertThat(dialer.permits(url).await()).isFalse();
        assertThatThrownBy(() -> dialer.open(HttpMethod.GET, url, false).await())
                .hasMessage("workspace URL is not publicly routable");
    }

    @Test
    void a_name_that_nobody_knows_now_may_be_kept_and_is_looked_up_again_when_it_is_dialled(Vertx vertx) {
        NameLookup nobody = host -> {
            throw new UnknownHostException(host);
        };
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(true, false), CONNECT, nobody, Duration.ZERO);

        assertThat(dialer.refuses("http://agent.example/").await()).isFalse();
        assertThat(List.of(
                        dialer.refuses("ftp://agent.example/").await(),
                        dialer(vertx, new Names("169.254.169.254"))
                                .refuses("http://169.254.169.254/latest")
                                .await()))
                .containsOnly(true);
        assertThat(dialer.permits("http://agent.example/").await()).isFalse();
        assertThat(dialer(vertx, new Names("127.0.0.1 169.254.169.254"))
                        .refuses("http://agent.example/")
                        .await())
                .isTrue();
    }

    @Test
    void of_several_addresses_one_bad_one_is_enough(Vertx vertx) {
        var names = new Names("127.0.0.1 169.254.169.254", "127.0.0.1 ::", "127.0.0.1 10.0.0.1");
        var dialer = dialer(vertx, names);

        assertThat(dialer.permits("http://agent.example/").await()).isFalse();
        assertThat(dialer.permits("http://agent.example/").await()).isFalse();
        assertThat(dialer.permits("http://agent.example/").await()).isTrue();
    }

    @Test
    void the_address_that_was_checked_is_the_one_connected_to_whatever_the_name_means_a_moment_later(Vertx vertx) {
        var server = vertx.createHttpServer()
                .requestHandler(request -> request.response()
                        .end(request.authority() + " " + request.localAddress().hostAddress()))
                .listen(0, "0.0.0.0")
                .await();
        String url = "http://agent.example:" + server.actualPort() + "/";
        var names = new Names("127.0.0.1", "127.0.0.2", "169.254.169.254", "127.0.0.1");
        var dialer = dialer(vertx, names);

        assertThat(bodyOf(vertx, dialer, url, false)).isEqualTo("agent.example:" + server.actualPort() + " 127.0.0.1");
        assertThat(names.asked()).isEqualTo(1);
        assertThat(bodyOf(vertx, dialer, url, false)).endsWith(" 127.0.0.2");
        assertThatThrownBy(() -> bodyOf(vertx, dialer, url, false))
                .hasMessage("workspace URL is not publicly routable");
        assertThat(names.asked()).isEqualTo(3);
    }

    @Test
    void a_name_is_believed_for_a_while_together_with_its_address(Vertx vertx) {
        var names = new Names("127.0.0.1", "169.254.169.254");
        var dialer =
                new SafeDialer(vertx, AddressRules.forDialling(true, false), CONNECT, names, Duration.ofMinutes(1));

        assertThat(dialer.permits("http://agent.example/").await()).isTrue();
        assertThat(dialer.permits("http://agent.example/").await()).isTrue();
        assertThat(names.asked()).isEqualTo(1);
    }

    @Test
    void a_redirect_is_handed_back_and_not_followed(Vertx vertx) {
        var server = vertx.createHttpServer()
                .requestHandler(request -> request.response()
                        .setStatusCode(302)
                        .putHeader("Location", "http://169.254.169.254/")
                        .end())
                .listen(0, "127.0.0.1")
                .await();
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(true, false), CONNECT);

        var answer = dialer.open(HttpMethod.GET, "http://127.0.0.1:" + server.actualPort(), false)
                .compose(request -> request.send())
                .await();

        assertThat(answer.statusCode()).isEqualTo(302);
    }

    private static SafeDialer dialer(Vertx vertx, NameLookup names) {
        return new SafeDialer(vertx, AddressRules.forDialling(true, false), CONNECT, names, Duration.ZERO);
    }

    /** On an event loop, as the services do it: on the thread of a test a body may be over before anybody listens. */
    private static String bodyOf(Vertx vertx, SafeDialer dialer, String url, boolean trusted) {
        Promise<Buffer> body = Promise.promise();
        vertx.runOnContext(loop -> dialer.open(HttpMethod.GET, url, trusted)
                .compose(request -> request.send())
                .compose(response -> response.body())
                .onComplete(body));
        return body.future().await().toString();
    }

    /** A name server in somebody else's hands: every name has other addresses each time it is asked. */
    private static final class Names implements NameLookup {

        private final List<String> answers;
        private final AtomicInteger asked = new AtomicInteger();

        Names(String... answers) {
            this.answers = List.of(answers);
        }

        int asked() {
            return asked.get();
        }

        @Override
        public InetAddress[] addressesOf(String host) throws UnknownHostException {
            String[] texts = answers.get(asked.getAndIncrement()).split(" ", -1);
            var addresses = new InetAddress[texts.length];
            for (int i = 0; i < texts.length; i++) {
                addresses[i] = InetAddress.getByName(texts[i]);
            }
            return addresses;
        }
    }
}
