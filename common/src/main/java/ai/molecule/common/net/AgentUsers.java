package ai.molecule.common.net;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Users that agents of this machine are: the first of them plus the agent's port. A port of 127.0.0.1 belongs to whoever listens there first,
 * also to another agent while its owner is dead, so a connection is used only when no other agent's user took it. To be used on one
 * event loop.
 */
final class AgentUsers {

    /** As many as there are ports for agents, rounded up. */
    private static final int COUNT = 32_768;

    private final Vertx vertx;
    private final Path sockets;
    private final int first;
    private @Nullable Future<SocketTable> reading;
    private @Nullable Future<SocketTable> next;

    /** @param sockets a folder with the files {@code tcp} and {@code tcp6} */
    AgentUsers(Vertx vertx, Path sockets, int first) {
        this.vertx = vertx;
        this.sockets = sockets;
        this.first = first;
    }

    /** Null where agents cannot be users of their own: only root gives users, and only Linux tells whose a socket is. */
    static @Nullable AgentUsers ofThisMachine(Vertx vertx, int first) {
        Path process = Path.of("/proc/self");
        try {
            boolean root = Files.isReadable(process.resolve("net/tcp"))
                    && Integer.valueOf(0)
                            .equals(Files.getAttribute(process.toRealPath(), "unix:uid", LinkOption.NOFOLLOW_LINKS));
            return root ? new AgentUsers(vertx, process.resolve("net"), first) : null;
        } catch (IOException | UnsupportedOperationException notLinux) {
            return null;
        }
    }

    /**
     * Whether another agent than that of the port has the other end of a connection within 127.0.0.1. False where nobody can tell.
     *
     * @param port where was connected to
     * @param from our own port
     */
    Future<Boolean> isAnothers(int port, int from) {
        return table().map(table -> {
                    var owner = table.ownerOf(port, from);
                    long nth = owner.orElse(-1) - first;
                    return nth >= 0 && nth < COUNT && nth != port;
                })
                .otherwise(false);
    }

    /** Read after now, once for all who ask while another reading goes on. */
    private Future<SocketTable> table() {
        if (reading == null) {
            return read();
        }
        if (next == null) {
            next = reading.transform(done -> read());
        }
        return next;
    }

    private Future<SocketTable> read() {
        next = null;
        Future<SocketTable> read = vertx.executeBlocking(() -> Listeners.table(sockets), false);
        reading = read;
        return read.onComplete(done -> {
            if (reading == read) {
                reading = null;
            }
        });
    }
}
