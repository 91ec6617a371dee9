package ai.molecule.cli.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.net.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Redis a user gets without installing one. */
class EmbeddedRedisTest {

    private static final String PASSWORD = "battery-staple";

    /** Unpacked once for all tests. */
    @TempDir
    static Path binaries;

    @TempDir
    Path temp;

    @Test
    void nothing_is_answered_without_the_password() throws IOException {
        try (var server = start()) {
            assertThat(call(server, "PING")).startsWith("-NOAUTH");
            assertThat(call(server, "AUTH wrong")).startsWith("-WRONGPASS");
        }
    }

    @Test
    void what_was_written_is_there_after_a_restart() throws IOException {
        try (var server = start()) {
            assertThat(call(server, "AUTH " + PASSWORD, "SET kept 42")).isEqualTo("+OK");
        }
        try (var server = start()) {
            assertThat(call(server, "AUTH " + PASSWORD, "STRLEN kept")).isEqualTo(":2");
        }
    }

    @Test
    void a_server_an_earlier_run_left_behind_is_replaced() throws IOException {
        var leftBehind = start();

        try (var server = start()) {
            assertThat(ProcessHandle.of(leftBehind.pid()).filter(ProcessHandle::isAlive))
                    .isEmpty();
            assertThat(call(server, "AUTH " + PASSWORD, "PING")).isEqualTo("+PONG");
        }
    }

    private RedisServer start() throws IOException {
        return RedisServer.start(
                new ServerBinaries(binaries), temp.resolve("redis"), Ports.free(), PASSWORD, temp.resolve("redis.log"));
    }

    /** Sends the commands on one connection and answers the last reply line. */
    private static String call(RedisServer server, String... commands) throws IOException {
        try (var socket = new Socket("127.0.0.1", server.port())) {
            var replies = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String reply = "";
            for (String command : commands) {
                socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
                reply = replies.readLine();
            }
            return reply;
        }
    }
}
