package ai.molecule.cli;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What somebody may have meant who typed something else, or one word of it alone. */
public final class NearMiss {

    private NearMiss() {}

    /** The nearest, at most two of them, none where nothing is near. */
    public static List<String> of(String typed, Collection<String> known) {
        return known.stream()
                .distinct()
                .map(other -> Map.entry(fromItOrItsWords(typed, other), other))
                .filter(other -> other.getKey() <= Math.max(1, typed.length() / 3))
                .sorted(Map.Entry.<Integer, String>comparingByKey().thenComparing(Map.Entry.comparingByValue()))
                .limit(2)
                .map(Map.Entry::getValue)
                .toList();
    }

    private static int fromItOrItsWords(String typed, String other) {
        return Stream.concat(
                        Stream.of(distance(typed, other)),
                        Stream.of(other.split(" ")).map(word -> 1 + distance(typed, word)))
                .min(Integer::compare)
                .orElseThrow();
    }

    /** How many letters differ, case aside; two that changed places are one. */
    private static int distance(String one, String other) {
        String from = one.toLowerCase(Locale.ROOT);
        String to = other.toLowerCase(Locale.ROOT);
        int[][] rows = new int[from.length() + 1][];
        rows[0] = IntStream.rangeClosed(0, to.length()).toArray();
        for (int i = 1; i <= from.length(); i++) {
            rows[i] = new int[to.length() + 1];
            rows[i][0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = rows[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                rows[i][j] = Math.min(replaced, 1 + Math.min(rows[i - 1][j], rows[i][j - 1]));
                boolean swapped = i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                if (swapped) {
                    rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
                }
            }
        }
        return rows[from.length()][to.length()];
    }
}
