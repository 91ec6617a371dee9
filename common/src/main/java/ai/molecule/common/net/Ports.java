package ai.molecule.common.net;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Ports on loopback that nobody listens on. */
public final class Ports {

    /**
     * Below the agents' ports, and below the ports that systems give to outgoing connections: any program may take one of those
     * in the seconds before we listen on it.
     */
    private static final int FIRST = 10_000;

    private static final int LAST = 19_999;
    private static final int TRIES = 200;

    /** Handed out by us, though perhaps not listened on yet. */
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    /**
     * One that was free just now, from 10000 to 19999, and another each time; no other process of this user is given it while this one
     * lives. Somebody else may take it before it is used; then the start fails and says so.
     *
     * @throws IOException when 200 were tried in vain
     */
    public static int free() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            if (PortClaims.claim(port) && isFree(port) && GIVEN.add(port)) {
                return port;
            }
        }
        throw new IOException("no free port was found between " + FIRST + " and " + LAST);
    }

    private static boolean isFree(int port) throws IOException {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (BindException taken) {
            return false;
        }
    }
}
