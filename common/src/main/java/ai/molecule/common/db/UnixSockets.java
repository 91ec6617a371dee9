package ai.molecule.common.db;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import javax.net.SocketFactory;

/** Connects JDBC's driver, which knows TCP alone, to a socket in a folder. The driver makes one by the name of this class. */
public final class UnixSockets extends SocketFactory {

    /** As long as the driver waits for TCP unless it is told otherwise; it does not tell a factory what it was told. */
    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);

    private final UnixDomainSocketAddress address;

    /** @param path of the socket */
    public UnixSockets(String path) {
        this.address = UnixDomainSocketAddress.of(path);
    }

    /** Connected already. */
    @Override
    public Socket createSocket() throws IOException {
        return UnixSocket.connect(address, CONNECT_MAX);
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException("there is one place to connect to");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        return createSocket("", port);
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        return createSocket("", port);
    }
}
