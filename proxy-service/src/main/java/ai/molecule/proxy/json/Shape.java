package ai.molecule.proxy.json;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which members a scan remembers: paths such as {@code params.message}, numbered in the order they are given. */
public final class Shape {

    /** A remembered member; one without a slot only leads to others. */
    static final class Node {
        private final Map<String, Node> members = new HashMap<>();
        private final List<Integer> slotsWithin = new ArrayList<>();
        private int slot = -1;

        @Nullable
        Node member(String name) {
            return members.get(name);
        }

        int slot() {
            return slot;
        }

        List<Integer> slotsWithin() {
            return slotsWithin;
        }
    }

    private final Node root = new Node();
    private final int size;

    private Shape(int size) {
        this.size = size;
    }

    public static Shape of(String... paths) {
        var shape = new Shape(paths.length);
        for (int slot = 0; slot < paths.length; slot++) {
            Node node = shape.root;
            for (String name : paths[slot].split("\\.", -1)) {
                node = node.members.computeIfAbsent(name, absent -> new Node());
                node.slotsWithin.add(slot);
            }
            node.slot = slot;
        }
        return shape;
    }

    Node root() {
        return root;
    }

    int size() {
        return size;
    }
}
