package ai.molecule.cli.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.data.Secrets;
import ai.molecule.common.config.ConnectionLimits;
import ai.molecule.common.http.Edge;
import ai.molecule.testkit.Kept;
import ai.molecule.testkit.Waits;
import io.nayuki.qrcodegen.QrCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code molecule share}: the page for other machines, with TLS and sign-in or not at all. */
class SharingThePageTest {

    private final Vertx vertx = Vertx.vertx();
    private final Screen screen = new Screen();
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Map<String, String>> heard = new CopyOnWriteArrayList<>();
    private final List<HttpServerRequest> waiting = new CopyOnWriteArrayList<>();
    private String session = "{\"required\":true,\"signed_in\":false,\"ways\":{\"password\":true,\"providers\":[]}}";
    private int testTokens = 404;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private HttpServer platform;

    @BeforeEach
    void start() throws IOException {
        platform = vertx.createHttpServer()
                .webSocketHandler(socket -> socket.textMessageHandler(text -> {
                    if (text.equals("revoke")) {
                        socket.close((short) 4003, "revoked");
                    } else {
                        socket.writeTextMessage("heard " + text);
                    }
                }))
                .requestHandler(this::answer)
                .listen(0, "127.0.0.1")
                .await();
        var data = DataFolder.open(folder);
        new RunFile("http://127.0.0.1:" + platform.actualPort(), 1, false, new TreeMap<>(), new TreeMap<>())
                .write(data.runFile());
        Secrets.load(data, true);
    }

    @AfterEach
    void stop() {
        over.countDown();
        vertx.close().await();
    }

    private void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            if (request.path().equals("/waits")) {
                waiting.add(request);
            } else if (request.path().equals("/stream")) {
                request.response().setChunked(true).write("data: one\n\n");
                waiting.add(request);
            } else if (request.path().equals("/session")) {
                request.response().end(session);
            } else if (request.path().endsWith("/test-token")) {
                request.response().setStatusCode(testTokens).end("{}");
            } else {
                Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
                request.headers().forEach(header -> headers.put(header.getKey(), header.getValue()));
                heard.add(headers);
                request.response()
                        .setStatusCode(201)
                        .putHeader("Set-Cookie", "a=b")
                        .end(Buffer.buffer("got ").appendBuffer(body));
            }
        });
    }

    @Test
    void a_phone_reads_where_it_is_and_is_served_with_tls_and_by_its_own_address() throws IOException {
        var sharing = Thread.ofVirtual().start(() -> run("--host", "localhost", "--port", "0"));
        await().until(() -> screen.err().contains("Shared until Ctrl-C"));
        String url = screen.out().lines().toList().getLast();
        assertThat(url).matches("https://localhost:\\d+/");
        assertThat(screen.err()).containsPattern("([0-9A-F]{2}:){31}[0-9A-F]{2}");
        assertThat(modules()).isEqualTo(modules(QrCode.encodeText(url, QrCode.Ecc.LOW)));

        int port = Integer.parseInt(url.replaceAll("\\D", ""));
        var trust = new PemTrustOptions()
                .addCertValue(Buffer.buffer(
                        Files.readAllBytes(DataFolder.at(folder).secrets().resolve("share-certificate.pem"))));
        var client = Kept.kept(vertx.createHttpClient(new HttpClientOptions()
                .setSsl(true)
                .setSslHandshakeTimeout(Waits.PATIENCE.toSeconds())
                .setTrustOptions(trust)
                .setVerifyHost(true)));
        String answer = client.request(HttpMethod.POST, port, "localhost", "/workspaces?x=1")
                .compose(request -> request.putHeader("X-Forwarded-For", "1.2.3.4")
                        .putHeader("X-Molecule-Edge", "guess")
                        .send("words"))
                .compose(response -> response.body()
                        .map(body -> response.statusCode() + " " + response.getHeader("Set-Cookie") + " " + body))
                .await();
        assertThat(answer).isEqualTo("201 a=b got words");
        assertThat(heard.getFirst())
                .containsEntry("X-Forwarded-For", "127.0.0.1")
                .containsEntry("X-Forwarded-Proto", "https")
                .containsEntry("X-Forwarded-Host", "localhost:" + port)
                .containsEntry(
                        "X-Molecule-Edge",
                        Edge.forwarderSecret(
                                Secrets.load(DataFolder.at(folder), true).edgeSecret()))
                .containsEntry("Host", "127.0.0.1:" + platform.actualPort());

        List<String> said = new CopyOnWriteArrayList<>();
        var socket = Kept.kept(vertx.createWebSocketClient(new WebSocketClientOptions()
                        .setSsl(true)
                        .setSslHandshakeTimeout(Waits.PATIENCE.toSeconds())
                        .setTrustOptions(trust)))
                .connect(new WebSocketConnectOptions()
                        .setHost("localhost")
                        .setPort(port)
                        .setURI("/ws"))
                .await();
        socket.textMessageHandler(said::add);
        socket.writeTextMessage("hello").await();
        await().until(() -> said.contains("heard hello"));

        over.countDown();
        await().until(() -> !sharing.isAlive());
    }

    @Test
    void by_another_name_than_those_it_is_shared_by_it_answers_nothing() throws IOException {
        var proof = ShareCertificate.of(DataFolder.at(folder).secrets(), "desk.example");
        var names = new ArrayList<>(proof.names());
        names.add("*.example.org");
        var door = new SharedDoor(
                vertx,
                URI.create("http://127.0.0.1:" + platform.actualPort()),
                "forwarder",
                new ServedNames("Box.local", names),
                proof.options(),
                "127.0.0.1",
                0);
        var client = Kept.kept(vertx.createHttpClient(new HttpClientOptions()
                .setSsl(true)
                .setTrustAll(true)
                .setVerifyHost(false)
                .setSslHandshakeTimeout(Waits.PATIENCE.toSeconds())));
        Map<String, Integer> answers = new TreeMap<>();
        for (String host : List.of(
                "evil.example",
                "box.local.evil.example",
                "a.b.example.org",
                "box.local",
                "DESK.example",
                "a.example.org",
                "127.0.0.1",
                "localhost")) {
            answers.put(
                    host,
                    client.request(HttpMethod.GET, door.port(), "127.0.0.1", "/")
                            .compose(request -> request.authority(HostAndPort.create(host, door.port()))
                                    .send())
                            .compose(response -> response.end().map(response.statusCode()))
                            .await());
        }

        assertThat(answers)
                .containsOnly(
                        Map.entry("evil.example", 421),
                        Map.entry("box.local.evil.example", 421),
                        Map.entry("a.b.example.org", 421),
                        Map.entry("box.local", 201),
                        Map.entry("DESK.example", 201),
                        Map.entry("a.example.org", 201),
                        Map.entry("127.0.0.1", 201),
                        Map.entry("localhost", 201));
        assertThat(heard).hasSize(5);
    }

    @Test
    void who_connects_and_asks_for_nothing_is_let_go_and_who_waits_for_an_answer_is_not() throws IOException {
        var proof = ShareCertificate.of(DataFolder.at(folder).secrets(), "localhost");
        var second = Duration.ofSeconds(1);
        var door = new SharedDoor(
                vertx,
                URI.create("http://127.0.0.1:" + platform.actualPort()),
                "edge",
                new ServedNames("localhost", proof.names()),
                proof.options(),
                "127.0.0.1",
                0,
                new ConnectionLimits(second, second, 10));
        var client = Kept.kept(vertx.createNetClient(new NetClientOptions()
                .setSsl(true)
                .setTrustAll(true)
                .setHostnameVerificationAlgorithm("")
                .setSslHandshakeTimeout(Waits.PATIENCE.toSeconds())));
        Map<String, String> asking = Map.of(
                "nothing", "",
                "half a head", "GET / HTTP/1.1\r\nHo",
                "answered once", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "waiting", "GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n");
        List<String> closed = new CopyOnWriteArrayList<>();
        for (String who : asking.keySet()) {
            var socket = client.connect(door.port(), "127.0.0.1").await();
            socket.closeHandler(gone -> closed.add(who));
            socket.write(asking.get(who)).await();
        }

        await().untilAsserted(
                        () -> assertThat(closed).containsExactlyInAnyOrder("nothing", "half a head", "answered once"));
        waiting.getFirst().response().end();
        await().until(() -> closed.contains("waiting"));
    }

    /** What ends at the platform with its credential has no life of its own in the tunnel. */
    @Test
    void what_the_platform_ends_or_cuts_is_over_at_the_other_end_of_the_tunnel() throws IOException {
        var door = door();
        var client = client();

        var ended = read(client, door);
        await().until(() -> waiting.size() == 1);
        waiting.get(0).response().end("event: stream-revoked\n\n");
        assertThat(ended.await()).isEqualTo("data: one\n\nevent: stream-revoked\n\n");

        var cut = read(client, door);
        await().until(() -> waiting.size() == 2);
        waiting.get(1).connection().close();
        await().until(cut::isComplete);
        assertThat(cut.failed()).isTrue();

        Promise<Short> closed = Promise.promise();
        var socket = Kept.kept(vertx.createWebSocketClient(new WebSocketClientOptions()
                        .setSsl(true)
                        .setTrustAll(true)
                        .setVerifyHost(false)
                        .setSslHandshakeTimeout(Waits.PATIENCE.toSeconds())))
                .connect(new WebSocketConnectOptions()
                        .setHost("127.0.0.1")
                        .setPort(door.port())
                        .setURI("/ws"))
                .await();
        socket.closeHandler(over -> closed.complete(socket.closeStatusCode()));
        socket.writeTextMessage("revoke").await();
        assertThat(closed.future().await()).isEqualTo((short) 4003);
    }

    @Test
    void whoever_leaves_the_tunnel_leaves_the_platform() throws IOException {
        var door = door();
        var client = client();
        var request = client.request(HttpMethod.GET, door.port(), "127.0.0.1", "/stream")
                .await();
        request.send().await();
        await().until(() -> waiting.size() == 1);

        request.connection().close().await();

        await().until(() -> waiting.getFirst().response().closed());
    }

    /** An event stream to its end; fails where it is cut. */
    private static Future<String> read(HttpClient client, SharedDoor door) {
        return client.request(HttpMethod.GET, door.port(), "127.0.0.1", "/stream")
                .compose(HttpClientRequest::send)
                .compose(HttpClientResponse::body)
                .map(Buffer::toString);
    }

    private SharedDoor door() throws IOException {
        var proof = ShareCertificate.of(DataFolder.at(folder).secrets(), "localhost");
        return new SharedDoor(
                vertx,
                URI.create("http://127.0.0.1:" + platform.actualPort()),
                "edge",
                new ServedNames("localhost", proof.names()),
                proof.options(),
                "127.0.0.1",
                0);
    }

    private HttpClientAgent client() {
        return Kept.kept(vertx.createHttpClient(new HttpClientOptions()
                .setSsl(true)
                .setTrustAll(true)
                .setVerifyHost(false)
                .setSslHandshakeTimeout(Waits.PATIENCE.toSeconds())));
    }

    @Test
    void the_same_certificate_is_shown_again_and_another_for_another_name() throws IOException {
        var secrets = DataFolder.at(folder).secrets();
        String first = ShareCertificate.of(secrets, "one.example").fingerprint();

        assertThat(ShareCertificate.of(secrets, "one.example").fingerprint()).isEqualTo(first);
        assertThat(ShareCertificate.of(secrets, "192.168.7.7").fingerprint()).isNotEqualTo(first);
        assertThat(Files.getPosixFilePermissions(secrets.resolve("share-key.pem")))
                .hasSize(2);
    }

    @Test
    void where_nobody_signs_in_nothing_is_shared() {
        testTokens = 401;
        assertThat(run()).isEqualTo(2);
        assertThat(screen.err()).contains("runs for development");

        testTokens = 404;
        session = "{\"required\":false,\"signed_in\":false}";
        assertThat(run()).isEqualTo(2);

        session = "{\"required\":true,\"signed_in\":false}";
        assertThat(run()).isEqualTo(2);
        assertThat(screen.err()).contains("Nobody could sign in");
        assertThat(screen.out()).isEmpty();
    }

    @Test
    void what_cannot_be_served_is_a_sentence() throws IOException {
        assertThat(run("--certificate", "x.pem")).isEqualTo(2);
        assertThat(run("--certificate", "x.pem", "--key", "y.pem")).isEqualTo(2);
        assertThat(run("--port", "70000")).isEqualTo(2);
        Files.delete(DataFolder.at(folder).runFile());
        assertThat(run()).isEqualTo(2);

        assertThat(screen.err())
                .contains(
                        "--certificate and --key go together.",
                        "x.pem cannot be read.",
                        "--port 70000 is not a port",
                        "Molecule is not running in");
    }

    private int run(String... words) {
        var all = new java.util.ArrayList<>(List.of(words));
        all.addAll(List.of("--data", folder.toString()));
        return new CommandLine(new ShareCommand(screen.console(), MoleculeHome.fromSystemProperties(), Map.of(), over))
                .setExecutionExceptionHandler((failure, failed, parsed) -> {
                    if (failure instanceof LaunchFailure known) {
                        screen.console().say(known.sentence());
                        return known.exitCode();
                    }
                    throw failure;
                })
                .execute(all.toArray(String[]::new));
    }

    /** What the terminal shows, two rows of a line, light ones as they are drawn. */
    private String modules() {
        var rows = new StringBuilder();
        for (String line : screen.out().lines().toList()) {
            if (line.startsWith("https:")) {
                break;
            }
            rows.append(line.replace('▀', '█').replace('▄', ' ')).append('\n');
            rows.append(line.replace('▀', ' ').replace('▄', '█')).append('\n');
        }
        return rows.toString();
    }

    private static String modules(QrCode code) {
        var rows = new StringBuilder();
        int lines = (code.size + 8 + 1) / 2 * 2;
        for (int y = -4; y < lines - 4; y++) {
            for (int x = -4; x < code.size + 4; x++) {
                rows.append(code.getModule(x, y) ? ' ' : '█');
            }
            rows.append('\n');
        }
        return rows.toString();
    }
}
