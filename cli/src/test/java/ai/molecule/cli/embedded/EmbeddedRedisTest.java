package ai.molecule.cli.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.net.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "FLUSHALL",
                "FLUSHDB",
                "KEYS *",
                "DEBUG SLEEP 0",
                "CONFIG SET dir /tmp",
                "MODULE LIST",
                "SCRIPT FLUSH",
                "ACL LIST",
                "REPLICAOF NO ONE",
                "SAVE",
                "SHUTDOWN"
            })
    void what_the_platform_never_asks_is_refused_also_with_the_password(String command) throws IOException {
        try (var server = start()) {
            assertThat(call(server, "AUTH " + PASSWORD, command)).startsWith("-NOPERM");
        }
    }

    @Test
    void what_the_platform_asks_is_done_and_expiry_is_told_without_being_switched_on() throws IOException {
        try (var server = start()) {
            assertThat(call(server, "AUTH " + PASSWORD, "SET k v EX 60", "GETDEL k"))
                    .isEqualTo("$1");
            assertThat(call(server, "AUTH " + PASSWORD, "EVAL \"return redis.call('INCR', KEYS[1])\" 1 n"))
                    .isEqualTo(":1");
            assertThat(call(server, "AUTH " + PASSWORD, "CONFIG GET notify-keyspace-events"))
                    .isEqualTo("*2");
            assertThat(call(server, "AUTH " + PASSWORD, "PSUBSCRIBE __keyevent@*__:expired"))
                    .isEqualTo("*3");
        }
    }

    @Test
    void who_sends_without_reading_is_cut_off_before_the_answers_fill_the_memory() throws IOException {
        byte[] pings = "PING\r\n".repeat(10_000).getBytes(StandardCharsets.US_ASCII);
        try (var server = start();
                var socket = new Socket("127.0.0.1", server.port())) {
            assertThatThrownBy(() -> {
                        for (int sent = 0; sent < 500; sent++) { // 30 MB, and answers of five times that
                            socket.getOutputStream().write(pings);
                        }
                    })
                    .isInstanceOf(IOException.class);
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
