package ai.molecule.proxy.work;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tasks and delegations of a piece of work as one tree, each with its parent: what its source was at when it began. A delegation and the
 * message that carries it are one node.
 */
final class WorkTree {

    /**
     * @param source null for a person
     * @param carrying the id of its message, which of a delegation is the delegation's own
     */
    record Node(
            UUID id,
            boolean delegation,
            @Nullable UUID source,
            @Nullable UUID target,
            @Nullable String carrying,
            String preview,
            String state,
            Instant startedAt,
            @Nullable Instant endedAt) {

        private boolean isOf(Set<UUID> agents) {
            return (source != null && agents.contains(source)) || (target != null && agents.contains(target));
        }
    }

    private WorkTree() {}

    /**
     * In the order they began, so that a parent stands before its children.
     *
     * @param readers the agents that ask: of what others handed each other they see that it was, not what it said, nor the ids to ask for it by;
     *     null for an administrator
     */
    static ArrayNode of(List<Node> tasks, List<Node> delegations, @Nullable Set<UUID> readers) {
        List<Node> nodes = new ArrayList<>(delegations);
        var handedOn = delegations.stream().map(Node::carrying).collect(Collectors.toSet());
        tasks.stream().filter(task -> !handedOn.contains(task.carrying())).forEach(nodes::add);
        nodes.sort(Comparator.comparing(Node::startedAt).thenComparing(Node::id));
        var tree = Json.MAPPER.createArrayNode();
        for (int i = 0; i < nodes.size(); i++) {
            var node = json(nodes.get(i), parentOf(nodes, i));
            if (readers != null && !nodes.get(i).isOf(readers)) {
                node.putNull("preview").putNull("message_id").putNull("delegation_id");
            }
            tree.add(node);
        }
        return tree;
    }

    /** The newest that its source had begun and, if it can be, not ended. */
    private static @Nullable UUID parentOf(List<Node> nodes, int child) {
        var node = nodes.get(child);
        UUID ended = null;
        for (int i = child - 1; i >= 0 && node.source() != null; i--) {
            var earlier = nodes.get(i);
            if (node.source().equals(earlier.target())) {
                var end = earlier.endedAt();
                if (end == null || !end.isBefore(node.startedAt())) {
                    return earlier.id();
                }
                ended = ended == null ? earlier.id() : ended;
            }
        }
        return ended;
    }

    private static ObjectNode json(Node node, @Nullable UUID parent) {
        return Json.object()
                .put("id", node.id().toString())
                .put("parent_id", parent == null ? null : parent.toString())
                .put("kind", node.delegation() ? "delegation" : "message")
                .put("delegation_id", node.delegation() ? node.carrying() : null)
                .put("message_id", node.carrying())
                .put("source_id", node.source() == null ? null : node.source().toString())
                .put("target_id", node.target() == null ? null : node.target().toString())
                .put("preview", node.preview())
                .put("state", node.state())
                .put("started_at", Json.time(node.startedAt()))
                .put("ended_at", Json.timeOrNull(node.endedAt()));
    }
}
