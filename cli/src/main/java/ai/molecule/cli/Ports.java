package ai.molecule.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports on loopback that nobody listens on. */
public final class Ports {

    private Ports() {}

    /** A port the system just called free. Somebody else may take it before it is used; then the start fails and says so. */
    public static int free() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
