package ai.molecule.proxy.a2a;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.RawAgent;
import ai.molecule.proxy.Reading;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever an agent does to its socket: what the caller sees, what the activity says, what goes live, what the journal has. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AgentsAtTheSocketTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    private static final String EVENTS =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String FIRST = "data: {\"n\":1}\n\n";
    private static final String LOST = "502 {\"error\":\"failed to reach workspace agent\",\"delivered\":true}";

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        proxy = ProxyUnderTest.start(
                vertx,
                config -> with(
                        config,
                        Map.of(
                                "a2a",
                                with(config.a2a(), "callerWait", Duration.ofSeconds(2)),
                                "journal",
                                with(
                                        config.journal(),
                                        Map.of(
                                                "lease",
                                                Duration.ofSeconds(5),
                                                "tick",
                                                Duration.ofMillis(200),
                                                "patience",
                                                Duration.ofMillis(500))))));
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    static Stream<Arguments> whole() {
        String cut = "502 {\"error\":\"failed to read agent response\",\"delivery_confirmed\":true}";
        return Stream.of(
                Arguments.of(
                        "closes before its headers",
                        RawAgent.says(""),
                        LOST,
                        "error",
                        "connection lost before an answer"),
                Arguments.of(
                        "dies before its headers",
                        RawAgent.diesAfter(""),
                        LOST,
                        "error",
                        "connection lost before an answer"),
                Arguments.of(
                        "dies in its headers",
                        RawAgent.diesAfter(OK),
                        LOST,
                        "error",
                        "connection lost before an answer"),
                Arguments.of(
                        "dies in its body", RawAgent.diesAfter(OK + "Content-Length: 99\r\n\r\n{\"a"), cut, "ok", null),
                Arguments.of(
                        "closes in its body", RawAgent.says(OK + "Content-Length: 99\r\n\r\n{\"a"), cut, "ok", null),
                Arguments.of(
                        "speaks no HTTP",
                        RawAgent.says("SSH-2.0-OpenSSH_9.6\r\n\r\n"),
                        LOST,
                        "error",
                        "connection lost before an answer"),
                Arguments.of(
                        "speaks another protocol",
                        RawAgent.says("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
                        LOST,
                        "error",
                        "connection lost before an answer"),
                Arguments.of(
                        "says at first that it works, and much about itself",
                        RawAgent.says("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
                                + "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK + "X-About: "
                                + "x".repeat(60_000) + "\r\nContent-Length: 5\r\n\r\nhello"),
                        "200 hello",
                        "ok",
                        null),
                Arguments.of(
                        "says what is no JSON",
                        RawAgent.says(OK + "Content-Length: 5\r\n\r\nhello"),
                        "200 hello",
                        "ok",
                        null),
                Arguments.of(
                        "redirects",
                        RawAgent.says(
                                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
                        "302 {\"error\":\"Found\"}",
                        "ok",
                        null),
                Arguments.of(
                        "fails",
                        RawAgent.says("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"),
                        "500 {\"error\":\"Internal Server Error\"}",
                        "error",
                        null),
                Arguments.of(
                        "says 11 MiB",
                        (RawAgent.Script) (socket, out) -> {
                            out.write((OK + "Content-Length: 11534336\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                            out.write(new byte[11 << 20]);
                        },
                        "502 {\"error\":\"agent response exceeds 10 MiB\",\"delivery_confirmed\":true}",
                        "error",
                        "agent response exceeds 10 MiB"));
    }

    @ParameterizedTest(name = "an agent that {0}")
    @MethodSource("whole")
    void a_whole_answer(String name, RawAgent.Script script, String caller, String status, @Nullable String detail)
            throws Exception {
        try (var agent = new RawAgent(script)) {
            var id = proxy.platform.workspaceAt(agent.url());

            assertThat(seen(proxy.send(id, HELLO))).isEqualTo(caller);

            var row = rowOf(id);
            assertThat(row.status()).isEqualTo(status);
            assertThat(row.errorDetail()).isEqualTo(detail);
            assertThat(row.responseBody()).isNull();
            assertThat(proxy.platform.live).noneMatch(event -> id.equals(event.workspaceId()));
        }
    }

    @Test
    void an_answer_that_is_packed_is_unpacked() throws Exception {
        try (var agent = new RawAgent(packed("application/json", "{\"result\":1.10}"));
                var events = new RawAgent(packed("text/event-stream", FIRST));
                var bomb = new RawAgent(packed("application/json", " ".repeat(64 << 20)));
                var plain =
                        new RawAgent(RawAgent.says(OK + "Content-Encoding: Identity\r\nContent-Length: 2\r\n\r\n{}"));
                var odd = new RawAgent(RawAgent.says(OK + "Content-Encoding: odd\r\nContent-Length: 2\r\n\r\n{}"))) {
            assertThat(seen(proxy.send(proxy.platform.workspaceAt(plain.url()), HELLO)))
                    .isEqualTo("200 {}");
            assertThat(seen(proxy.send(proxy.platform.workspaceAt(agent.url()), HELLO)))
                    .isEqualTo("200 {\"result\":1.10}");
            assertThat(read(proxy.platform.workspaceAt(events.url())).end.join())
                    .endsWith(FIRST);
            assertThat(seen(proxy.send(proxy.platform.workspaceAt(bomb.url()), HELLO)))
                    .startsWith("502 ")
                    .endsWith("\"delivery_confirmed\":true}");
            assertThat(seen(proxy.send(proxy.platform.workspaceAt(odd.url()), HELLO)))
                    .isEqualTo("502 {\"error\":\"failed to read agent response\",\"delivery_confirmed\":true}");
        }
    }

    @Test
    void an_answer_that_was_announced_goes_to_nobody_else() throws Exception {
        var asked = new AtomicInteger();
        try (var agent = new RawAgent((socket, out) -> {
            asked.incrementAndGet();
            for (int i = 0; i < 2; i++) {
                out.write("HTTP/1.1 102 Processing\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                out.flush();
                out.write((OK + "Content-Length: 1\r\n\r\n" + i).getBytes(StandardCharsets.US_ASCII));
                out.flush();
                if (i == 0) {
                    RawAgent.readRequest(socket.getInputStream());
                }
            }
        })) {
            var id = proxy.platform.workspaceAt(agent.url());

            assertThat(seen(proxy.send(id, HELLO))).isEqualTo("200 0");
            assertThat(seen(proxy.send(id, HELLO))).isEqualTo("200 1");
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void an_agent_that_never_answers_works_on_for_the_caller_until_it_is_lost() throws Exception {
        var over = new CompletableFuture<Void>();
        try (var agent = new RawAgent((socket, out) -> over.join())) {
            var id = proxy.platform.workspaceAt(agent.url());

            assertThat(seen(proxy.send(id, HELLO)))
                    .startsWith("504 ")
                    .contains("\"error\":\"agent still working\"", "\"delivered\":true");

            assertThat(proxy.platform.rows).noneMatch(row -> id.equals(row.targetId()));
            over.complete(null);
            assertThat(rowOf(id).errorDetail()).isEqualTo("connection lost before an answer");
        }
    }

    @Test
    void an_agent_that_dies_in_its_stream_is_told_to_the_reader_the_activity_and_whoever_comes_later()
            throws Exception {
        try (var agent = new RawAgent(RawAgent.diesAfter(EVENTS + chunk(FIRST) + chunk("data: {\"half")))) {
            var id = proxy.platform.workspaceAt(agent.url());

            String text = read(id).end.join();

            assertThat(text)
                    .contains(FIRST)
                    .doesNotContain("half")
                    .contains("\"message\":\"stream interrupted: the agent's stream broke off\"")
                    .contains("\"data\":{\"reason\":\"stream-interrupted\"}");
            assertThat(rowOf(id).status()).isEqualTo("error");
            assertThat(rowOf(id).errorDetail()).isEqualTo("the agent's stream broke off");
            String begin = text.substring("id: ".length(), text.indexOf('\n')).replaceAll("-1$", "-0");
            assertThat(read(id, "Last-Event-ID", begin).end.join().lines().filter(line -> line.startsWith("id: ")))
                    .hasSize(2);
        }
    }

    @Test
    void an_agent_that_dies_after_the_last_word_of_its_task_has_said_everything() throws Exception {
        String last =
                "data: {\"result\":{\"kind\":\"status-update\",\"taskId\":\"t\",\"status\":{\"state\":\"completed\"}}}\n\n";
        try (var agent = new RawAgent(RawAgent.diesAfter(EVENTS + chunk(last)))) {
            var id = proxy.platform.workspaceAt(agent.url());

            assertThat(read(id).end.join()).endsWith(last);
            assertThat(rowOf(id).status()).isEqualTo("ok");
        }
    }

    @Test
    void garbage_instead_of_events_passes_no_event_and_is_no_error() throws Exception {
        try (var agent = new RawAgent(RawAgent.says(EVENTS + chunk("\u0000garbage\n\nmore") + "0\r\n\r\n"))) {
            var id = proxy.platform.workspaceAt(agent.url());

            assertThat(read(id).end.join()).isEmpty();
            assertThat(rowOf(id).status()).isEqualTo("ok");
        }
    }

    @Test
    void a_reader_that_takes_nothing_is_let_go_and_the_journal_gets_everything() throws Exception {
        int events = 256;
        String event = "data: \"" + "x".repeat(64 * 1024) + "\"\n\n";
        try (var agent = new RawAgent((socket, out) -> {
            out.write(EVENTS.getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < events; i++) {
                out.write(chunk(event).getBytes(StandardCharsets.US_ASCII));
            }
            out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        })) {
            var id = proxy.platform.workspaceAt(agent.url());

            var stuck = Reading.paused(vertx, HttpMethod.POST, proxy.port, "/workspaces/" + id + "/a2a", HELLO);

            assertThat(rowOf(id).status()).isEqualTo("ok");
            assertThat(stuck.listen().end).failsWithin(Duration.ofSeconds(30));
            String first = stuck.soFar();
            String last = first.substring(first.lastIndexOf("\nid: ") + 5)
                    .lines()
                    .findFirst()
                    .orElseThrow();
            int had = Integer.parseInt(last.substring(last.indexOf('-') + 1));
            var back = read(id, "Last-Event-ID", last);
            assertThat(back.end.join().lines().filter(line -> line.startsWith("id: ")))
                    .hasSize(events - had);
        }
    }

    @Test
    void a_stream_meant_for_an_agent_that_has_moved_is_begun_once_at_the_right_one() throws Exception {
        var asked = new AtomicInteger();
        var id = UUID.randomUUID();
        try (var right = new RawAgent(RawAgent.says(EVENTS + chunk(FIRST) + "0\r\n\r\n"));
                var wrong = new RawAgent((socket, out) -> {
                    asked.incrementAndGet();
                    proxy.platform.put(id, right.url(), true, WorkspaceStatus.ONLINE, false);
                    out.write("HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
                })) {
            proxy.platform.put(id, wrong.url(), true, WorkspaceStatus.ONLINE, false);

            assertThat(read(id).end.join()).endsWith(FIRST);
            assertThat(asked).hasValue(1);
            assertThat(rowOf(id).status()).isEqualTo("ok");
        }
    }

    private Reading read(UUID id, String... headers) {
        String stream = HELLO.replace("message/send", "message/stream");
        return Reading.of(vertx, HttpMethod.POST, proxy.port, "/workspaces/" + id + "/a2a", stream, headers);
    }

    private ActivityRow rowOf(UUID id) {
        await().until(() -> proxy.platform.rows.stream().anyMatch(row -> id.equals(row.targetId())));
        return proxy.platform.rows.stream()
                .filter(row -> id.equals(row.targetId()))
                .findFirst()
                .orElseThrow();
    }

    private static RawAgent.Script packed(String type, String text) throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var packing = new GZIPOutputStream(packed)) {
            packing.write(text.getBytes(StandardCharsets.UTF_8));
        }
        String head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
                .formatted(type, packed.size());
        return (socket, out) -> {
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            out.write(packed.toByteArray());
        };
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.getBytes(StandardCharsets.UTF_8).length) + "\r\n" + text + "\r\n";
    }
}
