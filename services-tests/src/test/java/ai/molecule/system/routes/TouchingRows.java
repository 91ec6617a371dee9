package ai.molecule.system.routes;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is asked of each route where it is looked at what it touches: as {@code routes.txt} has it, and as {@code touching.txt} has it besides.
 *
 * @param unanswered routes that nobody gets to change anything here, with the reason
 * @param unseen routes of which what they change is not compared, with the reason
 * @param allowed {@code route caller table} of what a caller may change outside
 */
record TouchingRows(
        List<RouteRow> rows, Map<String, String> unanswered, Map<String, String> unseen, Set<String> allowed) {

    static TouchingRows read() {
        var routes = RouteRow.read();
        var rows = new TouchingRows(new ArrayList<>(), new TreeMap<>(), new TreeMap<>(), new HashSet<>());
        var more = new TreeMap<String, List<RouteRow>>();
        for (var entry : entries()) {
            String name = entry.getFirst();
            var row = routes.stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("touching.txt: there is no route " + name));
            var lines = entry.stream().skip(1).map(String::trim).toList();
            if (lines.getFirst().startsWith("none ")) {
                rows.unanswered.put(name, lines.getFirst());
            } else if (lines.getFirst().startsWith("unseen ")) {
                rows.unseen.put(name, lines.getFirst());
            } else if (lines.getFirst().startsWith("may ")) {
                rows.allowed.add(name + lines.getFirst().substring("may".length()));
            } else {
                more.computeIfAbsent(name, first -> new ArrayList<>()).add(row.asked(lines));
            }
        }
        for (var row : routes) {
            rows.rows.add(row);
            rows.rows.addAll(Stream.ofNullable(more.remove(row.name()))
                    .flatMap(List::stream)
                    .toList());
        }
        return rows;
    }

    Set<String> allowedTo(Actor actor) {
        return allowed.stream()
                .filter(change -> change.contains(" " + actor + " "))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The name of a route, and what stands below it. */
    private static List<List<String>> entries() {
        var entries = new ArrayList<List<String>>();
        for (String line : Lines.of("touching.txt")) {
            if (!line.startsWith(" ")) {
                entries.add(new ArrayList<>());
            }
            entries.getLast().add(line);
        }
        return entries;
    }
}
