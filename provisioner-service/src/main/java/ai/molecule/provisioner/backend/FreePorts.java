package ai.molecule.provisioner.backend;

import ai.molecule.common.net.PortClaims;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Ports for agents, from a range that systems do not hand to outgoing connections, so that a stopped agent's port stays free. */
public record FreePorts(int first, int last, RandomGenerator random) {

    public static final FreePorts AGENTS = new FreePorts(20_000, 31_999, RandomGenerator.getDefault());

    /** Starts at a random place, so that two platforms on one machine rarely try the same ones, and takes none that another was given. */
    public int choose(@Nullable Integer wanted, Set<Integer> taken) throws IOException {
        if (wanted != null && !taken.contains(wanted) && isFree(wanted)) {
            PortClaims.claim(wanted); // whose ever it was, an agent keeps its address
            return wanted;
        }
        int count = last - first + 1;
        int start = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            int port = first + (start + i) % count;
            if (!taken.contains(port) && PortClaims.claim(port) && isFree(port)) {
                return port;
            }
        }
        throw new IOException("no free port from %d to %d".formatted(first, last));
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true); // connections that still linger do not count
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
