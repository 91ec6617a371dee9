package ai.molecule.provisioner.reconcile;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Takes an agent's secrets and bearers out of what is quoted of its log. */
public final class SecretMask {

    private static final String MASK = "***";

    /** Shorter values stand in too many words that are no secret. */
    private static final int VALUE_MIN_CHARS = 4;

    /** Of a value of many lines, such as a key: a line this long tells something by itself. */
    private static final int LINE_MIN_CHARS = 8;

    /** As {@link ai.molecule.common.auth.Tokens} mints them. */
    private static final Pattern BEARER = Pattern.compile("(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])");

    private final List<String> hidden;

    /** @param values the agent's secrets in clear */
    public SecretMask(Collection<String> values) {
        hidden = values.stream()
                .mapMulti((String value, Consumer<String> each) -> {
                    var lines = value.lines().map(SecretMask::asLogged).toList();
                    int least = lines.size() > 1 ? LINE_MIN_CHARS : VALUE_MIN_CHARS;
                    lines.stream().filter(line -> line.length() >= least).forEach(each);
                })
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    public String over(String text) {
        String masked = text;
        for (String value : hidden) {
            masked = masked.replace(value, MASK);
        }
        return BEARER.matcher(masked).replaceAll(MASK);
    }

    /** As a line of {@link ai.molecule.provisioner.backend.LogTail} would have it. */
    private static String asLogged(String line) {
        return line.replaceAll("\\p{Cntrl}", " ").strip();
    }
}
