package ai.molecule.common.net;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ports for what is about to be started. */
class PortsTest {

    @Test
    void each_is_free_given_once_and_none_that_a_connection_going_out_could_have() throws IOException {
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            int port = Ports.free();
            assertThat(port).isBetween(10_000, 19_999);
            assertThat(given.add(port)).isTrue();
            new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
        }
    }

    @Test
    void what_another_process_was_given_is_given_to_nobody_while_it_lives() throws Exception {
        var other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int given;
        try (var out = new BufferedReader(new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8))) {
            given = Integer.parseInt(requireNonNull(out.readLine(), "it ended"));

            assertThat(PortClaims.claim(given)).isFalse();
        } finally {
            other.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
        }

        await().until(() -> PortClaims.claim(given));
    }

    @Test
    void a_file_that_somebody_else_laid_there_is_not_used(@TempDir Path folder) throws IOException {
        var file = folder.resolve("claims");

        try (var ours = PortClaims.open(file, System.getProperty("user.name"))) {
            assertThat(ours).isNotNull();
        }
        assertThat(PortClaims.open(file, "somebody-else")).isNull();
    }

    /** Is given a port and waits. */
    static final class Other {
        private Other() {}

        public static void main(String[] none) throws IOException {
            System.out.println(Ports.free());
            System.in.read();
        }
    }
}
