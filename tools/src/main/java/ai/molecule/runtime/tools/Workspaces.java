package ai.molecule.runtime.tools;

import ai.molecule.sdk.Peer;
import ai.molecule.sdk.WorkspaceClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The workspaces this process speaks for, the first being the one it speaks for when nothing says otherwise, and which of them
 * knows which peer. A client carries its own id and bearer, so the two always belong together.
 */
public final class Workspaces {

    /** Peers remembered at most; the one heard of longest ago makes room. */
    static final int PEERS_MAX = 10_000;

    private static final Pattern UUID = Pattern.compile("(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private record Known(WorkspaceClient source, String name) {}

    private final Map<String, WorkspaceClient> mine = new LinkedHashMap<>();
    private final Map<String, Known> peers = new LinkedHashMap<>();

    /** @throws IllegalArgumentException when there is none, or one twice */
    public Workspaces(List<WorkspaceClient> clients) {
        if (clients.isEmpty()) {
            throw new IllegalArgumentException("at least one workspace is needed");
        }
        for (WorkspaceClient client : clients) {
            if (mine.put(client.id(), client) != null) {
                throw new IllegalArgumentException("workspace " + client.id() + " is there twice");
            }
        }
    }

    public List<WorkspaceClient> all() {
        return List.copyOf(mine.values());
    }

    public boolean several() {
        return mine.size() > 1;
    }

    /** The workspace named, or the main one when the name is empty. */
    WorkspaceClient source(String id) {
        return named(id).orElseGet(this::main);
    }

    /** The workspace named, or the one that knows the peer, or the main one. */
    WorkspaceClient source(String id, String peerId) {
        return named(id).orElseGet(() -> known(peerId).map(Known::source).orElseGet(this::main));
    }

    /** @throws ToolRefusal when the name is not empty and none of this process's workspaces */
    Optional<WorkspaceClient> named(String id) {
        if (id.isEmpty()) {
            return Optional.empty();
        }
        WorkspaceClient client = mine.get(id);
        if (client == null) {
            throw new ToolRefusal(id + " is none of your workspaces: " + String.join(", ", mine.keySet()));
        }
        return Optional.of(client);
    }

    /** The latest to list a peer is the one that speaks to it. */
    synchronized void learn(WorkspaceClient source, Peer peer) {
        peers.remove(peer.id());
        if (peers.size() >= PEERS_MAX) {
            peers.remove(peers.keySet().iterator().next());
        }
        peers.put(peer.id(), new Known(source, peer.name()));
    }

    /** As a person would call it; its id while it has not been listed. */
    String nameOf(String peerId) {
        return known(peerId).map(Known::name).filter(name -> !name.isBlank()).orElse(peerId);
    }

    static boolean isId(String text) {
        return UUID.matcher(text).matches();
    }

    private synchronized Optional<Known> known(String peerId) {
        return Optional.ofNullable(peers.get(peerId));
    }

    private WorkspaceClient main() {
        return mine.values().iterator().next();
    }
}
