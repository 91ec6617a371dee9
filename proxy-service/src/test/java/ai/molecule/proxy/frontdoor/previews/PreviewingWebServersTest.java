package ai.molecule.proxy.frontdoor.previews;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.testkit.Kept;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Web servers of agents under host names of their own: who is shown them, and what reaches them. */
@ExtendWith(VertxExtension.class)
@EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux tells whose a port is")
class PreviewingWebServersTest {

    private static final String ROOT = "the-admin-token";
    private static final UUID OWN = UUID.randomUUID();
    private static final UUID OTHER = UUID.randomUUID();

    /** Where both agents take messages; nobody listens there. */
    private static final int MESSAGES = 1;

    @SuppressWarnings("NullAway.Init")
    private static ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private static HttpClient browser;

    @SuppressWarnings("NullAway.Init")
    private static WebServer own;

    @SuppressWarnings("NullAway.Init")
    private static WebServer others;

    private record Seen(int status, String body, List<String> cookies, String location) {}

    @BeforeAll
    static void start(Vertx vertx) throws IOException {
        proxy = ProxyUnderTest.start(
                vertx, "ADMIN_TOKEN", ROOT, "MOLECULE_AGENTS_HOST", "agents.localhost", "MOLECULE_AGENTS_PORT", "0");
        browser = Kept.kept(vertx.createHttpClient());
        own = WebServer.of(OWN);
        others = WebServer.of(OTHER);
        run(OWN, WorkspaceStatus.ONLINE);
        run(OTHER, WorkspaceStatus.ONLINE);
    }

    @AfterAll
    static void end() throws InterruptedException {
        own.close();
        others.close();
    }

    @Test
    void a_link_opens_a_web_server_once() {
        var link = link(OWN, own.port());
        String host = own.port() + "--" + OWN + ".agents.localhost";
        assertThat(link.getHost()).isEqualTo(host);
        assertThat(link.getPort()).isEqualTo(proxy.port);

        var opened = get(host, link.getPath() + "?" + link.getQuery());
        assertThat(opened.status).isEqualTo(303);
        assertThat(opened.location).isEqualTo("/");
        assertThat(opened.cookies)
                .singleElement()
                .asString()
                .contains("HTTPOnly", "SameSite=Lax", "Path=/")
                .doesNotContain("Domain");
        assertThat(get(host, "/a?b=c", "Cookie", pair(opened)).body).startsWith("GET /a?b=c");

        var again = get(host, link.getPath() + "?" + link.getQuery());
        assertThat(again.status).isEqualTo(401);
        assertThat(again.cookies).isEmpty();
        assertThat(again.body).contains("used already");
    }

    @Test
    void without_the_session_of_this_very_host_there_is_no_page() {
        String cookie = session(OWN, own.port());
        String host = host(OWN, own.port());

        assertThat(get(host, "/").status).isEqualTo(401);
        assertThat(get(host, "/", "Cookie", "molecule_preview=guessed").status).isEqualTo(401);
        assertThat(get(host, "/", "Authorization", "Bearer " + ROOT).status).isEqualTo(401);
        assertThat(get(host(OTHER, others.port()), "/", "Cookie", cookie).status)
                .isEqualTo(401);
        assertThat(get(host(OWN, others.port()), "/", "Cookie", cookie).status).isEqualTo(401);
        assertThat(get(host, "/", "Cookie", "molecule_preview=of-another-agent; " + cookie).status)
                .isEqualTo(200);
    }

    @Test
    void what_opens_something_here_is_not_passed_on() {
        var seen = send(
                HttpMethod.POST,
                host(OWN, own.port()),
                "/form",
                "the body",
                "Cookie",
                "one=1; molecule_session=secret; " + session(OWN, own.port()) + "; two=2",
                "Authorization",
                "Bearer secret",
                "X-Molecule-CSRF",
                "secret",
                "X-Molecule-Edge",
                "secret",
                "X-Workspace-ID",
                OWN.toString(),
                "X-Own",
                "theirs");

        assertThat(seen.status).isEqualTo(200);
        assertThat(seen.cookies).containsExactly("theirs=1");
        assertThat(seen.body)
                .startsWith("POST /form")
                .endsWith("the body")
                .contains("cookie: one=1; two=2\n", "x-own: theirs", "host: " + host(OWN, own.port()))
                .doesNotContain("secret", "molecule_", "authorization", "x-molecule", "x-workspace-id");
    }

    @Test
    void ports_are_listed_and_only_those_of_the_workspace_are_opened() {
        assertThat(listed(OWN)).isEqualTo("{\"ports\":[%d],\"reason\":null}".formatted(own.port()));

        assertThat(asked(ROOT, OWN, others.port()))
                .startsWith("409 ")
                .contains("does not listen at port %d".formatted(others.port()), String.valueOf(own.port()));
        assertThat(asked(ROOT, OWN, proxy.port)).as("the platform's own port").startsWith("409 ");
        assertThat(asked(ROOT, OWN, MESSAGES)).startsWith("403 ").contains("takes messages");
        assertThat(asked(ROOT, UUID.randomUUID(), 3000)).startsWith("404 ");
        for (String wrong : new String[] {"{}", "{\"port\":0}", "{\"port\":65536}", "{\"port\":\"x\"}", "[]"}) {
            assertThat(post(ROOT, OWN, wrong)).as(wrong).startsWith("400 ");
        }
    }

    @Test
    void a_port_that_a_stranger_took_is_sent_nothing(Vertx vertx) throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        var gone = WebServer.of(OWN);
        String cookie = session(OWN, gone.port());
        gone.close();
        assertThat(get(host(OWN, gone.port()), "/", "Cookie", cookie).status).isEqualTo(502);

        vertx.createHttpServer()
                .requestHandler(request -> {
                    heard.add(request.uri());
                    request.response().end();
                })
                .listen(gone.port(), "127.0.0.1")
                .await();

        var seen = get(host(OWN, gone.port()), "/", "Cookie", cookie);
        assertThat(seen.status).isEqualTo(403);
        assertThat(seen.body).contains("not served by a process of this agent");
        assertThat(heard).isEmpty();
    }

    @Test
    void who_may_not_act_there_opens_nothing() {
        String viewer = person(Role.VIEWER, OWN);
        String elsewhere = person(Role.OPERATOR, OTHER);

        assertThat(asked(viewer, OWN, own.port())).startsWith("403 ");
        assertThat(asked(elsewhere, OWN, own.port())).startsWith("404 ");
        assertThat(asked("nonsense", OWN, own.port())).startsWith("401 ");
        assertThat(asked(proxy.platform.tokenOf(OWN), OWN, own.port())).startsWith("403 ");
        assertThat(asked(person(Role.OPERATOR, OWN), OWN, own.port())).startsWith("201 ");
    }

    @Test
    void a_session_ends_with_the_right_to_open_it_and_so_do_its_sockets(Vertx vertx) {
        String operator = person(Role.OPERATOR, OWN);
        String cookie = session(operator, OWN, own.port());
        List<String> heard = new CopyOnWriteArrayList<>();
        var socket = connect(vertx, host(OWN, own.port()), heard, "Cookie", cookie);
        socket.writeTextMessage("to and fro");
        await().untilAsserted(() -> assertThat(heard).containsExactly("welcome /live", "to and fro"));

        proxy.platform.person(operator, null, null);

        await().until(socket::isClosed);
        assertThat(socket.closeStatusCode()).isEqualTo((short) 1001);
        assertThat(get(host(OWN, own.port()), "/", "Cookie", cookie).status).isEqualTo(401);
    }

    @Test
    void a_socket_ends_when_the_agent_is_quarantined(Vertx vertx) throws Exception {
        var workspace = UUID.randomUUID();
        run(workspace, WorkspaceStatus.ONLINE);
        try (var server = WebServer.of(workspace)) {
            String cookie = session(workspace, server.port());
            var socket = connect(vertx, host(workspace, server.port()), new CopyOnWriteArrayList<>(), "Cookie", cookie);

            proxy.platform.quarantine(workspace);
            proxy.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(workspace, 2));

            await().until(socket::isClosed);
            assertThat(get(host(workspace, server.port()), "/", "Cookie", cookie).status)
                    .isEqualTo(409);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/event-stream", "text/event-stream; charset=utf-8", "application/octet-stream"})
    void an_answer_without_an_end_ends_when_the_agent_is_quarantined(String type) throws Exception {
        var workspace = UUID.randomUUID();
        run(workspace, WorkspaceStatus.ONLINE);
        try (var server = WebServer.of(workspace)) {
            String cookie = session(workspace, server.port());
            String path = "/endless?type=" + URLEncoder.encode(type, StandardCharsets.UTF_8);
            var answer = browser.request(options(host(workspace, server.port()), path))
                    .compose(request -> request.putHeader("Cookie", cookie).send())
                    .await();
            var ended = Promise.<Void>promise();
            answer.exceptionHandler(cut -> ended.tryComplete());
            answer.endHandler(end -> ended.tryComplete());

            proxy.platform.quarantine(workspace);
            proxy.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(workspace, 2));

            await().until(ended.future()::isComplete);
        }
    }

    @Test
    void what_a_proxy_in_front_would_obey_is_not_answered() {
        String cookie = session(OWN, own.port());
        var headers = browser.request(options(host(OWN, own.port()), "/"))
                .compose(request -> request.putHeader("Cookie", cookie)
                        .send()
                        .compose(answer -> answer.end().map(answer.headers())))
                .await();

        assertThat(headers.names()).contains("Set-Cookie").doesNotContain("Fly-Replay", "X-Accel-Redirect");
    }

    @Test
    void a_handshake_with_a_body_is_refused() {
        var refused = send(
                HttpMethod.GET,
                host(OWN, own.port()),
                "/live",
                "hello",
                "Cookie",
                session(OWN, own.port()),
                "Connection",
                "Upgrade",
                "Upgrade",
                "websocket");

        assertThat(refused.status).isEqualTo(400);
    }

    @Test
    void a_socket_needs_the_session_and_this_origin(Vertx vertx) {
        String cookie = session(OWN, own.port());
        String host = host(OWN, own.port());

        assertRefused(vertx, 401);
        assertRefused(
                vertx, 403, "Cookie", cookie, "Origin", "http://" + host(OTHER, others.port()) + ":" + proxy.port);
        assertThat(connect(
                                vertx,
                                host,
                                new CopyOnWriteArrayList<>(),
                                "Cookie",
                                cookie,
                                "Origin",
                                "http://" + host + ":" + proxy.port)
                        .isClosed())
                .isFalse();
    }

    @Test
    void another_page_may_lead_there_and_nothing_more() {
        String cookie = session(OWN, own.port());
        String host = host(OWN, own.port());

        assertThat(get(host, "/", "Cookie", cookie, "Origin", "http://" + host(OTHER, others.port())).status)
                .isEqualTo(403);
        assertThat(get(host, "/", "Cookie", cookie, "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors").status)
                .isEqualTo(403);
        assertThat(get(
                                host,
                                "/",
                                "Cookie",
                                cookie,
                                "Sec-Fetch-Site",
                                "same-site",
                                "Sec-Fetch-Mode",
                                "navigate",
                                "Sec-Fetch-Dest",
                                "iframe")
                        .status)
                .isEqualTo(403);
        assertThat(get(
                                host,
                                "/",
                                "Cookie",
                                cookie,
                                "Sec-Fetch-Site",
                                "cross-site",
                                "Sec-Fetch-Mode",
                                "navigate",
                                "Sec-Fetch-Dest",
                                "document")
                        .status)
                .isEqualTo(200);
        assertThat(get(host, "/", "Cookie", cookie, "Sec-Fetch-Site", "same-origin").status)
                .isEqualTo(200);
    }

    @Test
    void no_name_under_the_domain_reaches_the_platform() {
        for (String name : new String[] {
            "agents.localhost", "AGENTS.localhost.", "x.agents.localhost", "x." + host(OWN, own.port())
        }) {
            assertThat(get(name, "/health", "Authorization", "Bearer " + ROOT).status)
                    .as(name)
                    .isEqualTo(421);
        }
        assertThat(proxy.sendAtAgentsDoor(OWN, "{}", "Host", host(OWN, own.port()), "Authorization", "Bearer " + ROOT)
                        .statusCode())
                .as("where agents come in")
                .isEqualTo(421);
        String cookie = session(OWN, own.port());
        assertThat(get(host(OWN, own.port()), "/health").status).isEqualTo(401);
        assertThat(get(host(OWN, own.port()), "/health", "Cookie", cookie).body).startsWith("GET /health");
        assertThat(get(host(OWN, own.port()), "/.molecule/other", "Cookie", cookie).status)
                .isEqualTo(404);
        assertThat(get("127.0.0.1", "/health", "Cookie", cookie).body).doesNotStartWith("GET");
    }

    @Test
    void an_agent_that_does_not_run_shows_nothing() {
        var paused = UUID.randomUUID();
        run(paused, WorkspaceStatus.PAUSED);
        var elsewhere = proxy.platform.workspace("http://10.0.0.1:80", true, WorkspaceStatus.ONLINE, false);

        assertThat(asked(ROOT, paused, 3000)).startsWith("409 ").contains("not running");
        assertThat(listed(paused)).contains("\"ports\":[]", "not running");
        assertThat(asked(ROOT, elsewhere, 3000)).startsWith("409 ").contains("the gateway's machine");
    }

    @Test
    void a_browser_of_another_machine_is_not_led_to_itself() {
        var seen = send(
                HttpMethod.POST,
                "192.0.2.7",
                "/workspaces/" + OWN + "/preview",
                "{\"port\":" + own.port() + "}",
                "Authorization",
                "Bearer " + ROOT);

        assertThat(seen.status).isEqualTo(409);
        assertThat(seen.body).contains("the browser's own machine");
    }

    @Test
    void without_a_domain_there_are_none() {
        var vertx = Vertx.vertx(); // on a bus of its own
        try {
            var without = ProxyUnderTest.start(vertx, "ADMIN_TOKEN", ROOT);
            String path = "/workspaces/" + OWN + "/preview";

            var listed = without.client
                    .get(path)
                    .putHeader("Authorization", "Bearer " + ROOT)
                    .send()
                    .await();
            assertThat(listed.bodyAsString()).contains("\"ports\":[]", "MOLECULE_AGENTS_HOST");
            assertThat(without.post(path, "{\"port\":3000}", "Authorization", "Bearer " + ROOT)
                            .statusCode())
                    .isEqualTo(409);
        } finally {
            vertx.close().await();
        }
    }

    private static void run(UUID workspace, WorkspaceStatus status) {
        proxy.platform.put(workspace, "http://127.0.0.1:" + MESSAGES, true, status, false);
    }

    private static String host(UUID workspace, int port) {
        return port + "--" + workspace + ".agents.localhost";
    }

    private static String person(Role role, UUID at) {
        String token = Tokens.mint();
        proxy.platform.person(
                token, new Person(UUID.randomUUID(), "kim", "Kim", null, role, List.of(at), "token:abcdefgh"), at);
        return token;
    }

    private static String asked(String bearer, UUID workspace, int port) {
        return post(bearer, workspace, "{\"port\":" + port + "}");
    }

    private static String post(String bearer, UUID workspace, String body) {
        return ProxyUnderTest.seen(
                proxy.post("/workspaces/" + workspace + "/preview", body, "Authorization", "Bearer " + bearer));
    }

    private static String listed(UUID workspace) {
        return proxy.client
                .get("/workspaces/" + workspace + "/preview")
                .putHeader("Authorization", "Bearer " + ROOT)
                .send()
                .await()
                .bodyAsString();
    }

    private static URI link(UUID workspace, int port) {
        return link(ROOT, workspace, port);
    }

    private static URI link(String bearer, UUID workspace, int port) {
        String answer = asked(bearer, workspace, port);
        assertThat(answer).startsWith("201 ");
        return URI.create(new JsonObject(answer.substring("201 ".length())).getString("url"));
    }

    private static String session(UUID workspace, int port) {
        return session(ROOT, workspace, port);
    }

    /** The cookie as a browser sends it. */
    private static String session(String bearer, UUID workspace, int port) {
        var link = link(bearer, workspace, port);
        return pair(get(link.getHost(), link.getPath() + "?" + link.getQuery()));
    }

    private static String pair(Seen opened) {
        return opened.cookies.getFirst().split(";", 2)[0];
    }

    private static Seen get(String host, String path, String... headers) {
        return send(HttpMethod.GET, host, path, "", headers);
    }

    private static Seen send(HttpMethod method, String host, String path, String body, String... headers) {
        return browser.request(options(host, path).setMethod(method))
                .compose(request -> {
                    for (int i = 0; i < headers.length; i += 2) {
                        request.putHeader(headers[i], headers[i + 1]);
                    }
                    return body.isEmpty() ? request.send() : request.send(body);
                })
                .compose(answer -> answer.body()
                        .map(whole -> new Seen(
                                answer.statusCode(),
                                whole.toString(),
                                new ArrayList<>(answer.headers().getAll("Set-Cookie")),
                                String.valueOf(answer.getHeader("Location")))))
                .await();
    }

    private static RequestOptions options(String host, String path) {
        return new RequestOptions()
                .setServer(SocketAddress.inetSocketAddress(proxy.port, "127.0.0.1"))
                .setHost(host)
                .setPort(proxy.port)
                .setURI(path);
    }

    private static void assertRefused(Vertx vertx, int status, String... headers) {
        assertThatThrownBy(() -> connect(vertx, host(OWN, own.port()), new CopyOnWriteArrayList<>(), headers))
                .isInstanceOfSatisfying(
                        UpgradeRejectedException.class,
                        refused -> assertThat(refused.getStatus()).isEqualTo(status));
    }

    private static WebSocket connect(Vertx vertx, String host, List<String> heard, String... headers) {
        var options = new WebSocketConnectOptions();
        options.setServer(SocketAddress.inetSocketAddress(proxy.port, "127.0.0.1"))
                .setHost(host)
                .setPort(proxy.port)
                .setURI("/live");
        for (int i = 0; i < headers.length; i += 2) {
            options.addHeader(headers[i], headers[i + 1]);
        }
        var connecting = Kept.kept(vertx.createWebSocketClient()).webSocket();
        connecting.textMessageHandler(heard::add);
        return connecting.connect(options).await();
    }
}
