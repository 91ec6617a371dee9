package ai.molecule.system.routes;

import ai.molecule.system.routes.StoredState.Node;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** What belongs to a caller: itself, the workspaces of its branch, and what is made below these. */
final class Territory {

    private final StoredState stored;
    private final Set<UUID> own = new HashSet<>();
    private Set<UUID> known = Set.of();
    private Set<String> edges = Set.of();

    Territory(StoredState stored) {
        this.stored = stored;
        grow();
    }

    Set<UUID> own() {
        return own;
    }

    void add(String id) {
        own.add(UUID.fromString(id));
        grow();
    }

    /**
     * Takes in the workspaces that were made below its own since the last time. One that was there before, and is below its own now, was taken from
     * elsewhere and is none of them.
     *
     * @return those of its own that went elsewhere, with where they stand now
     */
    Set<String> grow() {
        var nodes = stored.workspaces();
        while (nodes.stream().filter(this::isMadeBelow).map(Node::id).anyMatch(own::add)) {
            // what was made below what was made
        }
        known = nodes.stream().map(Node::id).collect(Collectors.toSet());
        var moved = edges(nodes);
        var now = Set.copyOf(moved);
        moved.removeAll(edges);
        edges = now;
        return moved;
    }

    private boolean isMadeBelow(Node node) {
        return !known.contains(node.id()) && node.parent() != null && own.contains(node.parent());
    }

    /** Each of its own that is below none of its own. */
    private Set<String> edges(List<Node> nodes) {
        return nodes.stream()
                .filter(node -> own.contains(node.id()) && (node.parent() == null || !own.contains(node.parent())))
                .map(Node::toString)
                .collect(Collectors.toCollection(HashSet::new));
    }
}
