package ai.molecule.provisioner.plugins;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Where plugins may come from: {@code local://*}, {@code local://<name>}, {@code github://*}, {@code github://<owner>/*} or {@code
 * github://<owner>/<repository>}, whatever the version. GitHub does not tell cases apart, so neither do we.
 */
record AllowedSources(List<String> patterns) {

    private static final Pattern PATTERN =
            Pattern.compile("[a-z][a-z0-9+.-]*://(?:\\*|[A-Za-z0-9._-]+(?:/(?:\\*|[A-Za-z0-9._-]+))?)");

    static final AllowedSources ALL = new AllowedSources(List.of("local://*", "github://*"));

    /** What ships, and what the operator puts beside it. */
    static final AllowedSources REGISTRY = new AllowedSources(List.of("local://*"));

    AllowedSources {
        if (!patterns.stream().allMatch(pattern -> PATTERN.matcher(pattern).matches())) {
            throw new IllegalArgumentException(
                    "MOLECULE_PLUGIN_SOURCES must be sources such as local://*, github://owner/* or github://owner/repository");
        }
    }

    boolean allow(String source) {
        String place = source.split("#", 2)[0];
        return patterns.stream()
                .anyMatch(pattern -> pattern.endsWith("*")
                        ? place.regionMatches(true, 0, pattern, 0, pattern.length() - 1)
                        : place.equalsIgnoreCase(pattern));
    }
}
