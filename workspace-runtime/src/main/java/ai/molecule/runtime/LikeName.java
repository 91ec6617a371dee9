package ai.molecule.runtime;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Which of some names was meant by one that is none of them. */
final class LikeName {

    private static final int MISTAKES_MAX = 2;
    private static final int CHARS_MAX = 40;

    private LikeName() {}

    /** The nearest by at most two letters that are wrong, missing or too many; empty where none is near, or half of it would be wrong. */
    static Optional<String> in(List<String> names, String written) {
        String word = written.strip().toLowerCase(Locale.ROOT);
        if (word.isEmpty() || word.length() > CHARS_MAX) {
            return Optional.empty();
        }
        return names.stream()
                .min(Comparator.comparingInt(name -> mistakes(name, word)))
                .filter(name -> mistakes(name, word) <= Math.min(MISTAKES_MAX, (name.length() - 1) / 2));
    }

    /** Levenshtein's distance. */
    private static int mistakes(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            int diagonal = i - 1;
            for (int j = 0; j <= other.length(); j++) {
                int above = row[j];
                if (i == 0 || j == 0) {
                    row[j] = i + j;
                } else {
                    int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                    row[j] = Math.min(replaced, Math.min(above, row[j - 1]) + 1);
                }
                diagonal = above;
            }
        }
        return row[other.length()];
    }
}
