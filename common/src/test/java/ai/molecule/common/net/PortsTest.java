package ai.molecule.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

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
}
