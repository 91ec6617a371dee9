package ai.molecule.system.routes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.canvas.Browser;
import ai.molecule.common.routing.Owner;
import ai.molecule.system.routes.FourServices.Mode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

/**
 * Pages of two other origins in a real Chromium, whose person is signed in at the platform: one on another port of the same machine, to
 * which the browser does send the cookie, and one on another name. Neither reads nor does anything, by any way a page has.
 */
@Tag("full")
class ForeignPagesIT {

    /** Every way to reach another origin, each of which says whether it got anything out of it. */
    private static final String ATTACK = """
            const done = arguments[arguments.length - 1], at = arguments[0];
            const outcome = (name, trying) => Promise.race([trying, new Promise((late) => setTimeout(() => late('nothing'), 8000))])
                .then((got) => `${name}: ${got}`, () => `${name}: refused`);
            const read = (path, options) => fetch(at + path, { credentials: 'include', ...options })
                .then(async (answer) => answer.type === 'opaque' ? 'opaque' : `${answer.status} ${await answer.text()}`);
            const make = JSON.stringify({ name: 'Planted' });
            const element = (tag, attribute, path) => new Promise((settle, fail) => {
              const one = document.createElement(tag);
              one.onload = () => settle('loaded');
              one.onerror = () => fail(new Error());
              one[attribute] = at + path;
              document.body.append(one);
            });
            const socket = (path) => new Promise((settle, fail) => {
              const one = new WebSocket(at.replace('http', 'ws') + path);
              one.onopen = () => settle('open');
              one.onerror = () => fail(new Error());
            });
            Promise.all([
              outcome('read', read('/workspaces')),
              outcome('read without cors', read('/workspaces', { mode: 'no-cors' })),
              outcome('read events', read('/events')),
              outcome('read the session', read('/session')),
              outcome('make', read('/workspaces', { method: 'POST', body: make, headers: { 'Content-Type': 'application/json' } })),
              outcome('make as text', read('/workspaces', { method: 'POST', body: make, mode: 'no-cors' })),
              outcome('make with the proof', read('/workspaces', { method: 'POST', body: make, headers: { 'X-Molecule-CSRF': '1' } })),
              outcome('sign out', read('/session', { method: 'DELETE', headers: { 'X-Molecule-CSRF': '1' } })),
              outcome('beacon', Promise.resolve(navigator.sendBeacon(at + '/workspaces', make) && 'sent')),
              outcome('script', element('script', 'src', '/workspaces')),
              outcome('image', element('img', 'src', '/workspaces')),
              outcome('socket', socket('/ws')),
              outcome('socket since', socket('/ws?since=0')),
              outcome('stream', new Promise((settle, fail) => {
                const one = new EventSource(at + '/events', { withCredentials: true });
                one.onmessage = () => settle('heard');
                one.onerror = () => fail(new Error());
              })),
            ]).then(done);
            """;

    /** A form is sent by navigating, so it is a page of its own. */
    private static final String FORM = """
            const form = document.createElement('form');
            form.method = 'POST'; form.action = arguments[0] + '/workspaces'; form.enctype = 'text/plain';
            const field = document.createElement('input');
            field.name = '{"name":"Planted","x":"'; field.value = '"}';
            form.append(field); document.body.append(form); form.submit();
            """;

    private static FourServices services;
    private static HttpServer elsewhere;
    private static Browser browser;
    private static volatile String cookieSeen = "";

    @BeforeAll
    static void start() throws IOException {
        browser = Browser.open();
        services = FourServices.start(Mode.PRODUCTION);
        elsewhere = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        elsewhere.createContext("/", exchange -> {
            byte[] page = "<!doctype html><title>elsewhere</title><body>elsewhere".getBytes(UTF_8);
            cookieSeen = String.valueOf(exchange.getRequestHeaders().getFirst("Cookie"));
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        elsewhere.start();
        browser.driver().manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
        if (elsewhere != null) {
            elsewhere.stop(0);
        }
        if (services != null) {
            services.close();
        }
    }

    @Test
    void the_page_itself_signs_in_and_reads_acts_and_listens_by_its_session() {
        signIn();

        browser.see("Peer");
        Object outcomes = browser.driver().executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                const shown = { headers: { 'X-Molecule-CSRF': localStorage.getItem('molecule.session') } };
                const ticket = fetch('/ws/ticket', { method: 'POST', ...shown }).then((answer) => answer.json());
                const opened = ticket.then((one) => new Promise((settle) => {
                  const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/ws?ticket=${one.ticket}`);
                  socket.onopen = () => settle('open');
                  socket.onerror = () => settle('refused');
                }));
                const made = fetch('/invitations', { method: 'POST', body: '{"name":"Guest"}', ...shown }).then((answer) => answer.status);
                const byCookie = fetch('/workspaces').then((answer) => answer.status);
                Promise.all([opened, made, byCookie]).then(done);
                """);
        assertThat(outcomes).isEqualTo(List.of("open", 201L, 401L));
    }

    /** An agent's web server on another port, to which the browser sends the cookie of this host, uses it from its own program. */
    @Test
    void the_cookie_that_another_port_of_the_host_was_sent_opens_nothing() {
        signIn();
        browser.see("Peer");
        browser.go("http://127.0.0.1:" + elsewhere.getAddress().getPort() + "/").see("elsewhere");
        String stolen = cookieSeen;
        assertThat(stolen).contains("molecule_session=");

        for (String[] said :
                new String[][] {{}, {"X-Molecule-CSRF: 1"}, {"X-Molecule-CSRF: 1", "Sec-Fetch-Site: same-origin"}}) {
            var headers = Stream.concat(Stream.of("Cookie: " + stolen), Stream.of(said))
                    .toList();
            for (var request : List.of(
                    Request.of("GET", "/workspaces"),
                    Request.of("GET", "/events"),
                    Request.of("POST", "/people/me/tokens").body("{\"name\":\"x\",\"role\":\"owner\",\"days\":365}"),
                    Request.of("POST", "/workspaces").body("{\"name\":\"Planted\"}"),
                    Request.of("POST", "/ws/ticket"))) {
                assertThat(Answer.to(services.port(Owner.PROXY), request.with(headers))
                                .status())
                        .as(request + " " + headers)
                        .isEqualTo(401);
            }
        }
        browser.go(platform()).see("Peer"); // and is still signed in
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost"})
    void a_page_of_another_origin_neither_reads_nor_acts_with_the_cookie(String host) {
        signIn();
        browser.see("Peer");

        attack(host);

        browser.go(platform()).see("Peer"); // and is still signed in
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost"})
    void nor_without_one(String host) {
        browser.go(platform());
        browser.driver().manage().deleteAllCookies();

        attack(host);
    }

    private static void attack(String host) {
        String before = services.ask(200, Request.of("GET", "/workspaces")).body();
        browser.go("http://" + host + ":" + elsewhere.getAddress().getPort() + "/")
                .see("elsewhere");

        var outcomes = (List<?>) browser.driver().executeAsyncScript(ATTACK, platform());

        assertThat(outcomes)
                .hasSize(14)
                .allSatisfy(outcome -> assertThat(String.valueOf(outcome))
                        .matches(
                                ".*: (refused|nothing|opaque|sent)")); // opaque: an answer that no script can look into
        browser.script(FORM, platform());
        browser.seeNot("elsewhere"); // the form was answered
        assertThat(services.ask(200, Request.of("GET", "/workspaces")).body()).isEqualTo(before);
    }

    private static void signIn() {
        browser.go(platform());
        browser.driver().manage().deleteAllCookies();
        browser.script("localStorage.clear()");
        browser.go(platform()).find("#key").sendKeys(FourServices.ADMIN_TOKEN + Keys.ENTER);
    }

    private static String platform() {
        return "http://127.0.0.1:" + services.port(Owner.PROXY);
    }
}
