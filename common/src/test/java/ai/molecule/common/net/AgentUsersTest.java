package ai.molecule.common.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whose the other end of a connection within the machine is. */
@ExtendWith(VertxExtension.class)
class AgentUsersTest {

    private static final int FIRST = 2_000_000_000;
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private static final String HEADING =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";

    @TempDir
    private Path folder;

    @Test
    void a_row_tells_who_took_a_connection_and_else_who_listens_at_the_most_particular_address() {
        assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "rows of a machine that is little-endian");
        String mapped = "0000000000000000FFFF0000";
        var table = SocketTable.of(Stream.of(
                HEADING,
                row("00000000:4E20", "00000000:0000", "0A", 7),
                row("0100007F:4E20", "00000000:0000", "0A", 8),
                row("00000000000000000000000000000000:4E21", "00000000000000000000000000000000:0000", "0A", 9),
                row(mapped + "0100007F:4E22", "00000000000000000000000000000000:0000", "0A", 10),
                row(mapped + "0100007F:4E22", mapped + "0100007F:C001", "01", 11),
                row(mapped + "0100007F:4E22", mapped + "0100007F:C002", "01", 0),
                row("00000000000000000000000001000000:4E23", "00000000000000000000000000000000:0000", "0A", 12),
                "   6: nonsense",
                ""));

        assertThat(table.ownerOf(20_000, 49_153)).hasValue(8);
        assertThat(table.ownerOf(20_001, 49_153)).hasValue(9);
        assertThat(table.ownerOf(20_002, 49_153)).hasValue(11);
        assertThat(table.ownerOf(20_002, 49_154)).as("nobody took it yet").hasValue(10);
        assertThat(table.ownerOf(20_003, 49_153)).as("::1 is another place").isEmpty();
        assertThat(table.ownerOf(20_004, 49_153)).isEmpty();
    }

    @Test
    void the_user_that_listens_at_most_ports_of_a_range_is_known() throws IOException {
        Files.write(
                folder.resolve("tcp"),
                List.of(
                        HEADING,
                        row("0100007F:4E20", "00000000:0000", "0A", 7),
                        row("0100007F:4E21", "00000000:0000", "0A", 8),
                        row("00000000:4E21", "00000000:0000", "0A", 8),
                        row("0100007F:4E22", "00000000:0000", "0A", 7),
                        row("0100007F:4E23", "0100007F:C001", "01", 8),
                        row("0100007F:7D00", "00000000:0000", "0A", 8),
                        row("0100007F:7D01", "00000000:0000", "0A", 8)));
        Files.write(
                folder.resolve("tcp6"),
                List.of(HEADING, row("00000000000000000000000000000000:4E24", "0:0000", "0A", 7)));

        assertThat(Listeners.most(folder, 20_000, 31_999)).contains(new Listeners.Most(7, 3));
        assertThat(Listeners.most(folder, 31_999, 32_001)).contains(new Listeners.Most(8, 2));
        assertThat(Listeners.most(folder, 1, 2)).isEmpty();
        assertThat(Listeners.most(folder.resolve("nowhere"), 1, 65_535)).isEmpty();
    }

    @Test
    void only_a_user_of_another_agent_is_anothers_and_where_nobody_can_tell_nobody_is(Vertx vertx) throws IOException {
        assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "rows of a machine that is little-endian");
        Files.write(
                folder.resolve("tcp"),
                List.of(
                        HEADING,
                        row("0100007F:4E20", "00000000:0000", "0A", FIRST + 20_000L),
                        row("0100007F:4E21", "00000000:0000", "0A", FIRST + 20_000L),
                        row("0100007F:4E22", "00000000:0000", "0A", 0),
                        row("0100007F:4E23", "00000000:0000", "0A", 4_294_967_294L)));
        var users = new AgentUsers(vertx, folder, FIRST);

        assertThat(users.isAnothers(20_000, 1).await()).isFalse();
        assertThat(users.isAnothers(20_001, 1).await()).isTrue();
        assertThat(users.isAnothers(20_002, 1).await()).as("of root").isFalse();
        assertThat(users.isAnothers(20_003, 1).await()).as("of nobody").isFalse();
        assertThat(users.isAnothers(20_004, 1).await()).isFalse();
        assertThat(new AgentUsers(vertx, folder.resolve("away"), FIRST)
                        .isAnothers(20_001, 1)
                        .await())
                .isFalse();
    }

    @Test
    void an_agent_that_listens_at_anothers_port_is_sent_nothing(Vertx vertx) throws Exception {
        assumeTrue(isRoot() && hasSetpriv(), "needs root and setpriv, to be two users");
        int first = FIRST;
        try (var own = listen(port -> first + port);
                var thief = listen(port -> first + port + 1)) {
            var dialer = SafeDialer.ofAgents(vertx, AddressRules.forDialling(false, false), CONNECT, first);

            for (int nth = 0; nth < 2; nth++) {
                var answer = dialer.open(HttpMethod.GET, own.url(), true)
                        .compose(request -> request.send())
                        .compose(response -> response.body())
                        .await();
                assertThat(answer).hasToString("ok");
            }
            assertThatThrownBy(
                            () -> dialer.open(HttpMethod.GET, thief.url(), true).await())
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("another agent listens there");
            assertThat(thief.heard()).isEmpty();
            dialer.close().await();
        }
    }

    @Test
    void a_port_is_a_workspaces_if_its_own_user_listens_there(Vertx vertx) throws Exception {
        assumeTrue(isRoot() && hasSetpriv(), "needs root and setpriv, to be two users");
        var workspace = UUID.randomUUID();
        try (var listener = listen(port -> FIRST + port + 7);
                var connection = new Socket("127.0.0.1", listener.port())) {
            var ports = new WorkspacePorts(vertx, FIRST);
            int from = connection.getLocalPort();

            assertThat(ports.of(workspace, listener.port() + 7).await()).contains(listener.port());
            assertThat(ports.of(workspace, listener.port() + 8).await()).doesNotContain(listener.port());
            assertThat(ports.has(workspace, listener.port() + 7, listener.port(), from)
                            .await())
                    .isTrue();
            assertThat(ports.has(workspace, listener.port() + 8, listener.port(), from)
                            .await())
                    .isFalse();
        }
    }

    private static String row(String local, String remote, String state, long uid) {
        return "   0: %s %s %s 00000000:00000000 00:00000000 00000000 %5d        0 640830 1 0000 100 0 0 10 0"
                .formatted(local, remote, state, uid);
    }

    private static boolean isRoot() {
        try {
            return Integer.valueOf(0)
                    .equals(Files.getAttribute(
                            Path.of("/proc/self").toRealPath(), "unix:uid", LinkOption.NOFOLLOW_LINKS));
        } catch (IOException | UnsupportedOperationException notLinux) {
            return false;
        }
    }

    private static boolean hasSetpriv() throws InterruptedException {
        try {
            return new ProcessBuilder("setpriv", "--reuid=" + FIRST, "--regid=" + FIRST, "--clear-groups", "true")
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException none) {
            return false;
        }
    }

    private interface User {
        int of(int port);
    }

    /** A process of another user that answers HTTP. */
    private record Listener(Process process, BufferedReader output, int port) implements AutoCloseable {

        String url() {
            return "http://127.0.0.1:" + port + "/";
        }

        /** What it says once it is told to end. */
        String heard() throws IOException, InterruptedException {
            process.getOutputStream().close();
            process.waitFor();
            return String.join("\n", output.lines().toList());
        }

        @Override
        public void close() throws Exception {
            process.destroyForcibly().waitFor();
        }
    }

    private Listener listen(User user) throws IOException {
        Path classes = Files.createDirectories(folder.resolve("classes"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        String file = ListenerMain.class.getName().replace('.', '/') + ".class";
        Path placed = classes.resolve(file);
        Files.createDirectories(placed.getParent());
        try (InputStream read = ListenerMain.class.getResourceAsStream("/" + file)) {
            Files.write(placed, read.readAllBytes());
        }
        int port = Ports.free();
        String uid = String.valueOf(user.of(port));
        var process = new ProcessBuilder(
                        "setpriv",
                        "--reuid=" + uid,
                        "--regid=" + uid,
                        "--clear-groups",
                        "--",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classes.toString(),
                        ListenerMain.class.getName(),
                        String.valueOf(port))
                .redirectErrorStream(true)
                .start();
        var output = process.inputReader(StandardCharsets.UTF_8);
        assertThat(output.readLine()).isEqualTo("listening");
        return new Listener(process, output, port);
    }
}
