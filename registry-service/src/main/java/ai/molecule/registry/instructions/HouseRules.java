package ai.molecule.registry.instructions;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules that hold for one workspace as the text its agent reads, in Markdown. */
final class HouseRules {

    /** A prompt has room for it beside everything else. */
    static final int BYTES_MAX = 64 * 1024;

    /** A rule that holds. */
    record Rule(InstructionScope scope, String title, String content) {}

    private HouseRules() {}

    /**
     * A heading for each scope, below it {@code ### title} and content of each rule; empty without rules. What does not fit, counted from the
     * first rule that does not, is left out, and the text says how many these are.
     *
     * @param rules those of all first, then from the highest team down to the workspace's own
     */
    static String text(List<Rule> rules) {
        var text = new StringBuilder();
        int bytes = 0;
        @Nullable InstructionScope under = null;
        for (int nth = 0; nth < rules.size(); nth++) {
            var rule = rules.get(nth);
            String heading = rule.scope == under ? "" : rule.scope.heading() + "\n\n";
            String part =
                    (text.isEmpty() ? "" : "\n\n") + heading + "### " + rule.title + "\n\n" + rule.content.strip();
            bytes += part.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > BYTES_MAX) {
                return text
                        + "\n\n(%d more rules are left out: together they are too long.)".formatted(rules.size() - nth);
            }
            text.append(part);
            under = rule.scope;
        }
        return text.toString();
    }
}
