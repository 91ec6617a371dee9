package ai.molecule.runtime.rehearse;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the agent was started with: lines for any message, and behind each {@code when <word>} those for a message whose id or words begin with that
 * word, by which suites say what they want to see. The longest word counts.
 *
 * @param otherwise empty for none
 */
record Script(Optional<List<Line>> otherwise, Map<String, List<Line>> cases) {

    private static final String WHEN = "when";

    /** @throws IllegalArgumentException when it is none */
    static Script of(String text) {
        Map<String, List<String>> parts = new LinkedHashMap<>();
        String word = "";
        for (String line : text.lines().filter(each -> !each.isBlank()).toList()) {
            String[] words = line.strip().split("\\s+", 2);
            if (words[0].equals(WHEN)) {
                word = words.length > 1 ? words[1] : "";
                if (word.isEmpty() || parts.containsKey(word)) {
                    throw new IllegalArgumentException("when must name a word of its own");
                }
                parts.put(word, new ArrayList<>());
            } else {
                parts.computeIfAbsent(word, first -> new ArrayList<>()).add(line);
            }
        }
        Map<String, List<Line>> cases = new LinkedHashMap<>();
        parts.forEach((when, lines) -> cases.put(when, lines(when, lines)));
        return new Script(Optional.ofNullable(cases.remove("")), cases);
    }

    private static List<Line> lines(String when, List<String> lines) {
        return Line.script(String.join("\n", lines))
                .orElseThrow(() -> new IllegalArgumentException(
                        lines.isEmpty()
                                ? "nothing stands behind when " + when
                                : "this is no line of a script: " + lines.getFirst()));
    }

    /** Empty where no word fits. */
    Optional<List<Line>> caseOf(String messageId, String words) {
        return cases.keySet().stream()
                .filter(word -> messageId.startsWith(word) || words.startsWith(word))
                .max(Comparator.comparingInt(String::length))
                .map(cases::get);
    }
}
