package ai.molecule.cli.ports;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * A port that is bound and that nobody listens at by this: whoever connects there is refused. While it is held, Linux lets no other user listen
 * there, and of this user only who asks for it (SO_REUSEPORT).
 */
final class HeldPort implements AutoCloseable {

    private final SocketChannel socket;

    private HeldPort(SocketChannel socket) {
        this.socket = socket;
    }

    /** One that nobody has. */
    static HeldPort take(InetSocketAddress address) throws IOException {
        return bind(address, List.of(StandardSocketOptions.SO_REUSEADDR));
    }

    /** One that this user has, once more. */
    static HeldPort join(InetSocketAddress address) throws IOException {
        return bind(address, List.of(StandardSocketOptions.SO_REUSEADDR, StandardSocketOptions.SO_REUSEPORT));
    }

    private static HeldPort bind(InetSocketAddress address, List<SocketOption<Boolean>> options) throws IOException {
        var socket = SocketChannel.open();
        try {
            for (var option : options) {
                socket.setOption(option, true); // connections of the last run may still be winding down
            }
            socket.bind(address);
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, false); // else anybody may listen beside
            socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            return new HeldPort(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
