package ai.molecule.common.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** At which ports a workspace listens. */
@ExtendWith(VertxExtension.class)
@EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux tells whose a port is")
class WorkspacePortsTest {

    private static final int FIRST = 2_000_000_000;
    private static final int AGENT = 20_000;

    @TempDir
    private Path folder;

    @Test
    void what_the_workspaces_own_user_has_is_the_workspaces(Vertx vertx) throws IOException {
        assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "rows of a machine that is little-endian");
        Files.write(
                folder.resolve("tcp"),
                List.of(
                        row("0100007F:4E20", "00000000:0000", "0A", FIRST + 20_000L),
                        row("00000000:0BB8", "00000000:0000", "0A", FIRST + 20_000L),
                        row("0100007F:0BB9", "00000000:0000", "0A", FIRST + 20_001L),
                        row("00000000:0BBA", "00000000:0000", "0A", FIRST + 20_000L),
                        row("0100007F:0BBA", "00000000:0000", "0A", FIRST + 20_001L),
                        row("0200007F:0BBB", "00000000:0000", "0A", FIRST + 20_000L),
                        row("0100007F:0BB8", "0100007F:C001", "01", FIRST + 20_001L)));
        var ports = new WorkspacePorts(vertx, folder, FIRST);
        var workspace = UUID.randomUUID();

        assertThat(ports.of(workspace, AGENT).await())
                .as("not the agent's own, another's, one that another is before at 127.0.0.1, or one elsewhere")
                .containsExactly(3000);
        assertThat(ports.has(workspace, AGENT, 3000, 1).await()).isTrue();
        assertThat(ports.has(workspace, AGENT, 3000, 0xC001).await())
                .as("another's user took it")
                .isFalse();
        assertThat(ports.has(workspace, AGENT, 3001, 1).await()).isFalse();
        assertThat(ports.has(workspace, AGENT, 3002, 1).await()).isFalse();
        assertThat(ports.has(workspace, AGENT, 3004, 1).await()).isFalse();
    }

    @Test
    void where_agents_share_a_user_what_processes_with_the_workspaces_id_have_is_the_workspaces(Vertx vertx)
            throws Exception {
        var workspace = UUID.randomUUID();
        int port = Ports.free();
        var builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ListenerMain.class.getName(),
                String.valueOf(port));
        builder.environment().put("WORKSPACE_ID", workspace.toString());
        var process = builder.start();
        try (var platforms = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            assertThat(process.inputReader().readLine()).isEqualTo("listening");
            var ports = new WorkspacePorts(vertx, FIRST);

            assertThat(ports.of(workspace, AGENT).await()).containsExactly(port);
            assertThat(ports.of(workspace, port).await()).isEmpty();
            assertThat(ports.of(UUID.randomUUID(), AGENT).await()).isEmpty();
            try (var connection = new Socket("127.0.0.1", port)) {
                int from = connection.getLocalPort();
                assertThat(ports.has(workspace, AGENT, port, from).await()).isTrue();
                assertThat(ports.has(UUID.randomUUID(), AGENT, port, from).await())
                        .isFalse();
            }
            try (var connection = new Socket("127.0.0.1", platforms.getLocalPort())) {
                assertThat(ports.has(workspace, AGENT, platforms.getLocalPort(), connection.getLocalPort())
                                .await())
                        .as("the platform's own")
                        .isFalse();
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void where_nobody_can_tell_nothing_is_the_workspaces(Vertx vertx) {
        var ports = new WorkspacePorts(vertx, folder.resolve("away"), FIRST);

        assertThat(ports.of(UUID.randomUUID(), AGENT).await()).isEmpty();
        assertThat(ports.has(UUID.randomUUID(), AGENT, 3000, 1).await()).isFalse();
    }

    private static String row(String local, String remote, String state, long uid) {
        return "   0: %s %s %s 00000000:00000000 00:00000000 00000000 %5d        0 640830 1 0000 100 0 0 10 0"
                .formatted(local, remote, state, uid);
    }
}
