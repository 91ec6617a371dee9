package ai.molecule.common.workspaces;

import ai.molecule.common.ApiError;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The runtimes that a workspace may have: those of this build, and those that the operator adds. A name that nobody knows would run as something
 * else than was asked for, and nobody would notice.
 *
 * @param added {@code MOLECULE_RUNTIMES}, separated by commas, and every {@code <name>} of a {@code MOLECULE_IMAGE_<NAME>}, in lower case with
 *     hyphens
 */
public record RuntimeNames(Set<String> added) {

    /** Those that our adapters run, by their own names and by the names other platforms know them by, and agents outside. */
    public static final List<String> KNOWN = List.of(
            "langgraph",
            "claude-code",
            "claude_code",
            "codex",
            "gemini-cli",
            "deepagents",
            "crewai",
            "autogen",
            "openclaw",
            "hermes",
            "echo",
            "delegate",
            "rehearse",
            "rehearsed",
            "langchain4j",
            "cli",
            "external");

    /** Those of {@link #KNOWN} that are programs of others, which want of the machine what they want. */
    public static final Set<String> PROGRAMS = Set.of("claude-code", "claude_code", "codex", "gemini-cli");

    /** Of this build alone. */
    public static final RuntimeNames OURS = new RuntimeNames(Set.of());

    private static final String IMAGE = "MOLECULE_IMAGE_";
    private static final Set<String> NO_RUNTIME = Set.of(IMAGE + "PREFIX", IMAGE + "PLATFORM", IMAGE + "PULL_SECRETS");
    private static final int QUOTED_MAX_CHARS = 60;

    public RuntimeNames {
        added = Set.copyOf(added);
    }

    public static RuntimeNames fromEnv(Map<String, String> variables) {
        var added = new TreeSet<String>();
        Stream.of(variables.getOrDefault("MOLECULE_RUNTIMES", "").split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .forEach(added::add);
        variables.keySet().stream()
                .filter(name -> name.startsWith(IMAGE) && !NO_RUNTIME.contains(name))
                .forEach(name -> added.add(
                        name.substring(IMAGE.length()).toLowerCase(Locale.ROOT).replace('_', '-')));
        return new RuntimeNames(added);
    }

    /** Fails with INVALID, naming the known one that looks most like it. */
    public void check(String runtime) {
        if (!KNOWN.contains(runtime) && !added.contains(runtime) && !added.contains(runtime.replace('_', '-'))) {
            throw ApiError.invalid(
                    "unknown runtime \"%s\"; did you mean \"%s\"?".formatted(shortened(runtime), nearest(runtime)));
        }
    }

    private String nearest(String runtime) {
        String asked = shortened(runtime).toLowerCase(Locale.ROOT);
        return Stream.concat(KNOWN.stream(), added.stream().sorted())
                .min(Comparator.comparingInt(name -> distance(asked, name)))
                .orElseThrow();
    }

    private static String shortened(String text) {
        return text.length() <= QUOTED_MAX_CHARS ? text : text.substring(0, QUOTED_MAX_CHARS);
    }

    /** How many letters must be put in, taken out or changed (Levenshtein). */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
