package ai.molecule.common.routing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the value of the pattern that matches a path, in a time that depends on the path's length and not on the number of patterns.
 * In a pattern {@code :x} stands for any one segment, and {@code *} at the end for any rest, also an empty one. Where several
 * match, a literal segment is preferred to {@code :x}, and that to {@code *}. Filled first, then only read.
 */
public final class PathTree<T> {

    /** @param parameters what stood for each {@code :x}, in order, as it stood in the path */
    public record Match<T>(T value, List<String> parameters) {}

    private static final class Node<T> {
        private final Map<String, Node<T>> literals = new HashMap<>();
        private @Nullable Node<T> parameter;
        private @Nullable T here;
        private @Nullable T rest;
    }

    private final Node<T> root = new Node<>();

    /** What is put at a pattern that is taken already is ignored. */
    public void put(String pattern, T value) {
        var node = root;
        for (String segment : segments(pattern)) {
            if (segment.equals("*")) {
                node.rest = node.rest == null ? value : node.rest;
                return;
            }
            if (segment.startsWith(":")) {
                node.parameter = node.parameter == null ? new Node<>() : node.parameter;
                node = node.parameter;
            } else {
                node = node.literals.computeIfAbsent(segment, unknown -> new Node<>());
            }
        }
        node.here = node.here == null ? value : node.here;
    }

    /** @param path without its query; one slash at its end is ignored. Null when no pattern matches. */
    public @Nullable Match<T> find(String path) {
        var segments = segments(path);
        List<String> parameters = new ArrayList<>(2);
        var value = find(root, segments, 0, parameters);
        return value == null ? null : new Match<>(value, parameters);
    }

    private static <T> @Nullable T find(Node<T> node, List<String> path, int depth, List<String> parameters) {
        if (depth == path.size()) {
            return node.here != null ? node.here : node.rest;
        }
        String segment = path.get(depth);
        var literal = node.literals.get(segment);
        var found = literal == null ? null : find(literal, path, depth + 1, parameters);
        if (found == null && node.parameter != null && !segment.isEmpty()) {
            parameters.add(segment);
            found = find(node.parameter, path, depth + 1, parameters);
            if (found == null) {
                parameters.removeLast();
            }
        }
        return found != null ? found : node.rest;
    }

    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>(6);
        int end = path.length() > 1 && path.endsWith("/") ? path.length() - 1 : path.length();
        int start = path.startsWith("/") ? 1 : 0;
        while (start <= end) {
            int slash = path.indexOf('/', start);
            int stop = slash < 0 || slash > end ? end : slash;
            segments.add(path.substring(start, stop));
            start = stop + 1;
        }
        return segments;
    }
}
