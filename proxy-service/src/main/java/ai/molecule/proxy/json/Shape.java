package ai.molecule.proxy.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which members a scan remembers: paths such as {@code params.message}, numbered in the order they are given. */
public final class Shape {

    /** A remembered member; one without a slot only leads to others. */
    static final class Node {
        private final Map<String, Node> members = new HashMap<>();
        private byte[][] names = new byte[0][];
        private final List<Integer> slotsWithin = new ArrayList<>();
        private int slot = -1;

        /** @param name where the member's name stands, quotes included */
        @Nullable
        Node member(byte[] text, Span name) {
            return mayBeKnown(text, name) ? members.get(name.stringIn(text)) : null;
        }

        /** Most names are none that is looked for, which their bytes tell without a string. */
        private boolean mayBeKnown(byte[] text, Span name) {
            int start = name.start() + 1;
            int end = name.end() - 1;
            for (byte[] known : names) {
                if (Arrays.equals(known, 0, known.length, text, start, end)) {
                    return true;
                }
            }
            return name.hasEscapes(text);
        }

        private Node with(String name) {
            var member = members.computeIfAbsent(name, absent -> new Node());
            names = members.keySet().stream()
                    .map(known -> known.getBytes(StandardCharsets.UTF_8))
                    .toArray(byte[][]::new);
            return member;
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
                node = node.with(name);
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
