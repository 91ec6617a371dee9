package ai.molecule.common.db;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server at a Unix socket that stands still holds nobody for ever. */
@Timeout(60)
class GivingUpAtUnixSocketsTest {

    private static final Duration SOON = Duration.ofMillis(50);
    private static final int MORE_THAN_WAIT = 64;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void a_server_without_room_for_a_connection_is_given_up() throws Exception {
        var address = UnixDomainSocketAddress.of(folder.resolve("s"));
        var connected = new ArrayList<UnixSocket>();
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address, 1);

            assertThatThrownBy(() -> {
                        while (connected.size() < MORE_THAN_WAIT) {
                            connected.add(UnixSocket.connect(address, SOON));
                        }
                    })
                    .isInstanceOf(SocketTimeoutException.class);
        } finally {
            for (var socket : connected) {
                socket.close();
            }
        }
    }

    @Test
    void a_server_that_takes_nothing_is_given_up() throws Exception {
        var address = UnixDomainSocketAddress.of(folder.resolve("s"));
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            try (var socket = UnixSocket.connect(address, Duration.ofSeconds(10));
                    var accepted = server.accept()) {
                socket.setSoTimeout((int) SOON.toMillis());

                assertThatThrownBy(() -> socket.getOutputStream().write(new byte[16 << 20]))
                        .isInstanceOf(SocketTimeoutException.class);
                assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            }
        }
    }
}
