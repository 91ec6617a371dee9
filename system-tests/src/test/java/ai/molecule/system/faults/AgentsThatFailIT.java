package ai.molecule.system.faults;

import static ai.molecule.system.faults.SocketAgent.EVENTS;
import static ai.molecule.system.faults.SocketAgent.JSON;
import static ai.molecule.system.faults.SocketAgent.chunk;
import static ai.molecule.system.faults.SocketAgent.diesAfter;
import static ai.molecule.system.faults.SocketAgent.says;
import static ai.molecule.system.faults.SocketAgent.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever an agent does to its callers, each is told what is known, and it is written down once. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AgentsThatFailIT {

    private static final String LOST = "502 {\"error\":\"failed to reach workspace agent\",\"delivered\":true}";
    private static final String CUT = "502 {\"error\":\"failed to read agent response\",\"delivery_confirmed\":true}";

    private Platform platform;
    private Client client;

    @BeforeAll
    void start(@TempDir Path data) {
        platform = Platform.up(data, "--no-demo", "--split");
        client = new Client(platform.url);
    }

    @AfterAll
    void stop() {
        platform.close();
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of(
                        "is killed before its headers", diesAfter(""), LOST, "error: connection lost before an answer"),
                Arguments.of(
                        "is killed in its body", diesAfter(JSON + "Content-Length: 99\r\n\r\n{\"a"), CUT, "ok: null"),
                Arguments.of("speaks no HTTP", says("\0\1\2\r\n\r\n"), LOST, "error: connection lost before an answer"),
                Arguments.of(
                        "redirects",
                        says("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
                        "302 {\"error\":\"Found\"}",
                        "ok: null"),
                Arguments.of(
                        "fails",
                        says("HTTP/1.1 500 Oops\r\nContent-Length: 22\r\n\r\n{\"error\":\"no model !\"}"),
                        "500 {\"error\":\"no model !\"}",
                        "error: null"),
                Arguments.of(
                        "says 11 MiB",
                        (SocketAgent.Script) (message, socket, out) -> {
                            write(out, JSON + "Content-Length: 11534336\r\n\r\n");
                            out.write(new byte[11 << 20]);
                        },
                        "502 {\"error\":\"agent response exceeds 10 MiB\",\"delivery_confirmed\":true}",
                        "error: agent response exceeds 10 MiB"));
    }

    @ParameterizedTest(name = "an agent that {0}")
    @MethodSource("faults")
    void a_fault(String name, SocketAgent.Script script, String caller, String row) throws IOException {
        try (var agent = new SocketAgent(script)) {
            String id = register(agent);

            var answer = send(id, "message/send");

            assertThat(answer.status() + " " + answer.body()).isEqualTo(caller);
            assertThat(statusAndDetail(onlyRow(id))).isEqualTo(row);
        }
    }

    @Test
    void an_agent_that_never_answers_is_still_at_work_for_its_caller_and_lost_once_it_is_killed() throws IOException {
        var kill = new CompletableFuture<Void>();
        try (var agent = new SocketAgent((message, socket, out) -> kill.join())) {
            String id = register(agent);

            var answer = send(id, "message/send", "X-Timeout", "1");

            assertThat(answer.status() + " " + answer.body())
                    .startsWith("504 ")
                    .contains("\"error\":\"agent still working\"", "\"delivered\":true");
            assertThat(rows(id)).isEmpty();
            kill.complete(null);
            assertThat(statusAndDetail(onlyRow(id))).isEqualTo("error: connection lost before an answer");
        }
    }

    @Test
    void an_agent_without_capacity_gets_the_message_once_its_heartbeat_shows_some() throws IOException {
        var busy = new AtomicBoolean(true);
        Map<String, Integer> received = new ConcurrentHashMap<>();
        var counts = SocketAgent.counts(received);
        var refuses = says("HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n");
        try (var agent =
                new SocketAgent((message, socket, out) -> (busy.get() ? refuses : counts).run(message, socket, out))) {
            String id = register(agent);

            var answer = client.postPatiently("/workspaces/" + id + "/a2a", SocketAgent.message("m-busy"));

            assertThat(answer.status()).as(answer.body()).isEqualTo(202);
            assertThat(answer.json().get("queue_depth").asInt()).isEqualTo(1);
            assertThat(rows(id)).isEmpty();
            busy.set(false);
            String token = client.post("/workspaces/" + id + "/tokens", "")
                    .json()
                    .get("auth_token")
                    .asText();
            await().until(() -> {
                client.post("/registry/heartbeat", "{\"workspace_id\":\"%s\"}".formatted(id), token);
                return rows(id).size() == 1;
            });
            assertThat(statusAndDetail(rows(id).get(0))).isEqualTo("ok: null");
            assertThat(received).containsExactly(Map.entry("m-busy", 1));
        }
    }

    @Test
    void an_agent_that_is_killed_in_its_stream_is_told_to_its_reader_and_to_whoever_comes_back() throws IOException {
        try (var agent = new SocketAgent(diesAfter(EVENTS + chunk("data: {\"n\":1}\n\n") + chunk("data: {\"ha")))) {
            String id = register(agent);

            var read = send(id, "message/stream");

            var ids = read.lines("id: ");
            assertThat(ids).hasSize(2);
            assertThat(read.body())
                    .contains("{\"n\":1}", "\"reason\":\"stream-interrupted\"")
                    .doesNotContain("{\"ha");
            var back = send(id, "message/stream", "Last-Event-ID", ids.getFirst());
            assertThat(back.lines("id: ")).containsExactly(ids.getLast());
            assertThat(back.body())
                    .contains("\"reason\":\"stream-interrupted\"")
                    .doesNotContain("{\"n\":1}");
            assertThat(statusAndDetail(onlyRow(id))).isEqualTo("error: the agent's stream broke off");
        }
    }

    @Test
    void a_slow_reader_holds_back_a_fast_stream_and_loses_nothing_of_it() throws Exception {
        int events = 512;
        String event = chunk("data: \"" + "x".repeat(64 << 10) + "\"\n\n");
        var said = new AtomicLong();
        try (var agent = new SocketAgent((message, socket, out) -> {
                    write(out, EVENTS);
                    for (int i = 0; i < events; i++) {
                        write(out, event);
                        said.incrementAndGet();
                    }
                    write(out, "0\r\n\r\n");
                });
                var reader = new Socket("127.0.0.1", URI.create(platform.url).getPort())) {
            String id = register(agent);
            String body = message("message/stream");
            write(
                    reader.getOutputStream(),
                    "POST /workspaces/%s/a2a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                            .formatted(id, body.length(), body));

            var before = new AtomicLong(-1);
            await().during(Duration.ofSeconds(2))
                    .until(() -> said.get() > 0 && said.get() == before.getAndSet(said.get()));

            assertThat(said.get() * event.length())
                    .isLessThan(16 << 20); // the sockets' buffers on the way, and a few MiB
            var lines = new BufferedReader(new InputStreamReader(reader.getInputStream(), StandardCharsets.US_ASCII));
            List<String> positions = lines.lines()
                    .filter(line -> line.startsWith("id: "))
                    .map(line -> line.substring(line.lastIndexOf('-') + 1))
                    .toList();
            assertThat(positions)
                    .isEqualTo(IntStream.rangeClosed(1, events)
                            .mapToObj(String::valueOf)
                            .toList());
            assertThat(statusAndDetail(onlyRow(id))).isEqualTo("ok: null");
        }
    }

    @Test
    void a_wrong_agent_behind_a_reused_port_runs_nothing() throws IOException {
        String id = platform.create("Moved", "echo", null);
        platform.awaitStatus(id, "online");
        assertThat(platform.say(id, "hello")).contains("hello");
        int port = URI.create(platform.get("/workspaces/" + id).get("url").asText())
                .getPort();
        var provisioner = platform.processWith("ProvisionerMain").orElseThrow();
        Signals.send("STOP", provisioner.pid()); // it would start the right one again
        try {
            var killed = platform.agentProcess(id);
            killed.destroyForcibly();
            await().until(() -> !isListening(port));
            Queue<String> received = new ConcurrentLinkedQueue<>();
            try (var wrong = new SocketAgent(port, (message, socket, out) -> {
                received.add(message);
                write(out, "HTTP/1.1 421 Misdirected Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
            })) {
                var answer = send(id, "message/send");

                assertThat(answer.status() + " " + answer.body())
                        .isEqualTo("502 {\"error\":\"failed to reach workspace agent\"}");
                assertThat(received).hasSize(2); // once more after asking for the address anew
                assertThat(wrong.url()).contains(String.valueOf(port));
            }
        } finally {
            Signals.send("CONT", provisioner.pid());
        }
        await().until(() -> rows(id).size() == 2);
        assertThat(statusAndDetail(rows(id).get(1))).isEqualTo("error: another agent answered at this address");
        await().ignoreExceptions().until(() -> platform.say(id, "again").contains("again"));
        platform.delete("/workspaces/" + id + "?confirm=true");
    }

    private String register(SocketAgent agent) {
        return agent.register(platform, "Agent");
    }

    private Client.Answer send(String id, String method, String... headers) throws IOException {
        return client.send("POST", "/workspaces/" + id + "/a2a", message(method), headers);
    }

    private static String message(String method) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method
                + "\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"go\"}]}}}";
    }

    private JsonNode rows(String id) {
        return platform.get("/workspaces/" + id + "/activity?type=a2a_receive");
    }

    private JsonNode onlyRow(String id) {
        await().until(() -> rows(id).size() == 1);
        return rows(id).get(0);
    }

    private static String statusAndDetail(JsonNode row) {
        return row.get("status").asText() + ": " + row.get("error_detail").asText();
    }

    private static boolean isListening(int port) {
        try (var socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }
}
