package ai.molecule.common.net;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * At which ports of this machine the processes of a workspace listen: what its own user has, where agents are users of their own, else what
 * the processes have that carry the workspace's id in their environment, or descend from one that does. Only what Linux says counts: where
 * nobody can tell, nothing is the workspace's. The platform's own processes are neither, so its ports are never a workspace's.
 */
public final class WorkspacePorts {

    /** Processes between one that listens and the agent. */
    private static final int ANCESTORS_MAX = 64;

    private static final int NOBODY = -1;

    private static final Pattern SOCKET = Pattern.compile("socket:\\[(\\d{1,18})]");

    private static final Path PROCESSES = Path.of("/proc");

    private final Vertx vertx;
    private final Path sockets;
    private final long firstUid;
    private final long ownUid;

    /** @param firstUid of the users that agents are; each is this plus its agent's port */
    public WorkspacePorts(Vertx vertx, int firstUid) {
        this(vertx, PROCESSES.resolve("self/net"), firstUid);
    }

    /** @param sockets a folder with the files {@code tcp} and {@code tcp6} */
    WorkspacePorts(Vertx vertx, Path sockets, int firstUid) {
        this.vertx = vertx;
        this.sockets = sockets;
        this.firstUid = firstUid;
        this.ownUid = ownUid();
    }

    /**
     * Whether the workspace has the other end of a connection within 127.0.0.1.
     *
     * @param agentPort where its agent takes messages
     * @param port where was connected to
     * @param from our own port
     */
    public Future<Boolean> has(UUID workspaceId, int agentPort, int port, int from) {
        return vertx.executeBlocking(() -> hasNow(workspaceId, agentPort, port, from), false)
                .otherwise(false);
    }

    /** Where its processes listen, without where its agent takes messages, in ascending order; empty where nobody can tell. */
    public Future<List<Integer>> of(UUID workspaceId, int agentPort) {
        return vertx.executeBlocking(() -> listNow(workspaceId, agentPort), false)
                .otherwise(List.of());
    }

    private boolean hasNow(UUID workspaceId, int agentPort, int port, int from) throws IOException {
        var table = Listeners.table(sockets);
        long uid = table.ownerOf(port, from).orElse(NOBODY);
        if (uid == firstUid + agentPort) {
            return true;
        }
        // a connection that was taken by a child is still the listener's
        return uid == ownUid
                && table.listenerAt(port)
                        .filter(listener -> listener.uid() == ownUid)
                        .filter(listener -> socketsOf(workspaceId).contains(listener.inode()))
                        .isPresent();
    }

    private List<Integer> listNow(UUID workspaceId, int agentPort) throws IOException {
        var listeners = Listeners.table(sockets).listeners();
        Set<Long> shared = listeners.stream().anyMatch(one -> one.uid() == ownUid) ? socketsOf(workspaceId) : Set.of();
        return listeners.stream()
                .filter(one -> one.port() != agentPort)
                .filter(one ->
                        one.uid() == firstUid + agentPort || (one.uid() == ownUid && shared.contains(one.inode())))
                .map(SocketTable.Listener::port)
                .toList();
    }

    /** Of processes that are our own user. */
    private static Set<Long> socketsOf(UUID workspaceId) {
        String mark = "WORKSPACE_ID=" + workspaceId;
        Map<Long, Boolean> known = new HashMap<>();
        Set<Long> found = new HashSet<>();
        ProcessHandle.allProcesses()
                .filter(process -> isOf(process, mark, known, ANCESTORS_MAX))
                .forEach(process -> addSockets(process.pid(), found));
        return found;
    }

    private static boolean isOf(ProcessHandle process, String mark, Map<Long, Boolean> known, int ancestors) {
        var before = known.get(process.pid());
        if (before != null) {
            return before;
        }
        boolean is = ProcessEnvironment.holds(process.pid(), mark)
                || (ancestors > 0
                        && process.parent()
                                .filter(parent -> isOf(parent, mark, known, ancestors - 1))
                                .isPresent());
        known.put(process.pid(), is);
        return is;
    }

    private static void addSockets(long pid, Set<Long> found) {
        try (var open = Files.list(PROCESSES.resolve(String.valueOf(pid)).resolve("fd"))) {
            open.forEach(one -> {
                var socket = SOCKET.matcher(target(one));
                if (socket.matches()) {
                    found.add(Long.parseLong(socket.group(1)));
                }
            });
        } catch (IOException | UncheckedIOException goneOrAnothers) {
            // it has none that is ours to see
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException closed) {
            return "";
        }
    }

    private static long ownUid() {
        try {
            return ((Number) Files.getAttribute(
                            PROCESSES.resolve("self").toRealPath(), "unix:uid", LinkOption.NOFOLLOW_LINKS))
                    .longValue();
        } catch (IOException | UnsupportedOperationException notLinux) {
            return NOBODY - 1L;
        }
    }
}
