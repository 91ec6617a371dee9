package ai.molecule.proxy.a2a;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.SmallProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * A proxy with a heap of 256 MiB, at whose agent 2,000 callers, each with an address of its own, leave a message of 1 MiB that is never
 * answered: together eight times the heap. The JVM ends at the first OutOfMemoryError.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere 127.0.0.1 is the only address of the loopback")
@Tag("full")
class HoldingTheHeapTest {

    private static final int CALLERS = 2_000;

    private static final byte[] CHUNK = "x".repeat(64 * 1024).getBytes(US_ASCII);
    private static final int CHUNKS = 15;
    private static final byte[] BEGIN =
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\""
                    .getBytes(US_ASCII);
    private static final byte[] END = "\"}]}}}".getBytes(US_ASCII);
    private static final int LENGTH = BEGIN.length + CHUNKS * CHUNK.length + END.length;

    private final List<Socket> sockets = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> answers = new ConcurrentLinkedQueue<>();
    private Process process;
    private int port;
    private String silent;
    private String answering;

    @BeforeEach
    void a_proxy_with_a_small_heap() throws IOException {
        var command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("--") || option.startsWith("-D"))
                .forEach(command::add);
        command.addAll(List.of(
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                SmallProxy.class.getName(),
                TestStores.freshDatabase(),
                TestStores.redisUrl()));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String[] words = requireNonNull(out.readLine(), "it ended").split(" ");
        port = Integer.parseInt(words[0]);
        silent = words[1];
        answering = words[2];
    }

    @AfterEach
    void nobody_is_left() throws IOException, InterruptedException {
        for (var socket : sockets) {
            socket.close();
        }
        process.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
    }

    @Test
    void two_thousand_large_messages_to_an_agent_that_never_answers_leave_room_for_others() throws Exception {
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CALLERS; i++) {
                var socket = connected("127.0.%d.%d".formatted(1 + i / 250, 1 + i % 250));
                socket.getOutputStream().write("HEAD /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(US_ASCII));
                assertThat(headOf(socket)).startsWith("HTTP/1.1 200 "); // accepted, and not only by the system
                callers.execute(() -> send(socket));
                callers.execute(() -> answers.add(statusOf(socket)));
            }
            // eight are at the agent: a quarter of an eighth of the heap
            await().until(() -> answers.size() >= CALLERS - 8);

            assertThat(process.isAlive()).isTrue();
            assertThat(Set.copyOf(answers)).contains("503").isSubsetOf("503", "cut");

            var unread = connected("127.0.0.1");
            unread.getOutputStream().write(head(silent, LENGTH)); // and not a byte of the body
            assertThat(headOf(unread)).startsWith("HTTP/1.1 503 ").containsIgnoringCase("\r\nretry-after: 2\r\n");
            assertThat(asked(answering, ProxyUnderTest.HELLO.getBytes(US_ASCII)))
                    .startsWith("HTTP/1.1 200 ");

            for (var socket : sockets) {
                socket.close();
            }
        }
        assertThat(process.isAlive()).isTrue();
    }

    private Socket connected(String from) throws IOException {
        var socket = new Socket();
        socket.setSoTimeout(60_000);
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
        sockets.add(socket);
        return socket;
    }

    private static void send(OutputStream out, String target) throws IOException {
        out.write(head(target, LENGTH));
        out.write(BEGIN);
        for (int i = 0; i < CHUNKS; i++) {
            out.write(CHUNK);
        }
        out.write(END);
    }

    private void send(Socket socket) {
        try {
            send(socket.getOutputStream(), silent);
        } catch (IOException refused) {
            // who reads its answer says how
        }
    }

    /** Its status; {@code cut} where the connection went with the rest of a body that nobody reads. */
    private static String statusOf(Socket socket) {
        try {
            String head = headOf(socket);
            return head.length() > 12 ? head.substring(9, 12) : "cut";
        } catch (IOException cut) {
            return "cut";
        }
    }

    private String asked(String target, byte[] body) throws IOException {
        var socket = connected("127.0.0.1");
        socket.getOutputStream().write(head(target, body.length));
        socket.getOutputStream().write(body);
        return headOf(socket);
    }

    private static byte[] head(String target, int length) {
        return "POST /workspaces/%s/a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(target, length)
                .getBytes(US_ASCII);
    }

    private static String headOf(Socket socket) throws IOException {
        var head = new StringBuilder();
        var in = socket.getInputStream();
        byte[] some = new byte[4096];
        while (head.indexOf("\r\n\r\n") < 0) {
            int length = in.read(some);
            if (length < 0) {
                break;
            }
            head.append(new String(some, 0, length, StandardCharsets.UTF_8));
        }
        return head.toString();
    }
}
