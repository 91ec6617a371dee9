package ai.molecule.runtime.rehearse;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A line of a script: a word, and what it is about. A script is at most {@value #LINES_MAX} lines, and waits at most {@value #WAIT_MAX_MINUTES}
 * minutes in all.
 */
record Line(What what, String about) {

    static final int LINES_MAX = 1_000;
    static final int WAIT_MAX_MINUTES = 20;

    private static final Pattern DURATION = Pattern.compile("(\\d{1,7})(ms|s|m)");
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Pattern LINK = Pattern.compile("https?://[^\\s/]+\\S*( [\\w.+-]+/[\\w.+-]+)?");
    private static final Pattern FILE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}( .*)?");

    enum What {
        /** Takes as long as it says, {@code 200ms}, {@code 3s}, {@code 2m}. */
        WAIT,
        /** A piece of the answer, a line. */
        SAY,
        /** A step that is shown as what it does now. */
        STEP,
        /** A file of the workspace, its name and its words, that goes with the answer. */
        FILE,
        /** An object of JSON that goes with the answer. */
        DATA,
        /** Something elsewhere that goes with the answer: its address, and after it its media type. */
        LINK,
        /** A piece of the answer; as the first line of a script it says that the answer is a message and no task. */
        MESSAGE,
        /** {@code input-required}: the next message goes on behind this line. */
        ASK,
        /** {@code auth-required}, the same. */
        AUTH,
        /** {@code rejected}, the end. */
        REJECT,
        /** {@code failed}, the end. */
        FAIL;

        boolean endsTurn() {
            return this == ASK || this == AUTH || this == REJECT || this == FAIL;
        }
    }

    /**
     * The lines of a text; empty when its first is none of a script.
     *
     * @throws IllegalArgumentException when a later one is none, or one is wrong
     */
    static Optional<List<Line>> script(String text) {
        List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
        if (lines.isEmpty() || of(lines.getFirst()).isEmpty()) {
            return Optional.empty();
        }
        if (lines.size() > LINES_MAX) {
            throw new IllegalArgumentException("a script has at most " + LINES_MAX + " lines");
        }
        List<Line> script = lines.stream()
                .map(line -> of(line).orElseThrow(
                                () -> new IllegalArgumentException("this is no line of a script: " + shortened(line))))
                .toList();
        Duration waits = script.stream().map(Line::length).reduce(Duration.ZERO, Duration::plus);
        if (waits.compareTo(Duration.ofMinutes(WAIT_MAX_MINUTES)) > 0) {
            throw new IllegalArgumentException("a script waits at most " + WAIT_MAX_MINUTES + " minutes");
        }
        return Optional.of(script);
    }

    private static Optional<Line> of(String line) {
        String[] words = line.strip().split("\\s+", 2);
        String about = words.length > 1 ? words[1] : "";
        for (What what : What.values()) {
            if (what.name().toLowerCase(Locale.ROOT).equals(words[0])) {
                return Optional.of(checked(new Line(what, about)));
            }
        }
        return Optional.empty();
    }

    private static Line checked(Line line) {
        boolean right =
                switch (line.what) {
                    case WAIT -> DURATION.matcher(line.about).matches();
                    case DATA -> data(line.about).isPresent();
                    case LINK -> LINK.matcher(line.about).matches();
                    case FILE -> FILE.matcher(line.about).matches();
                    default -> !line.about.isEmpty();
                };
        if (!right) {
            throw new IllegalArgumentException("what to " + line.what.name().toLowerCase(Locale.ROOT)
                    + " is missing or wrong: " + shortened(line.about));
        }
        return line;
    }

    /** What it says as data; empty when that is no object of JSON. */
    static Optional<ObjectNode> data(String json) {
        try {
            return JSON.readTree(json) instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
        } catch (JsonProcessingException none) {
            return Optional.empty();
        }
    }

    /** How long it waits. */
    Duration length() {
        var said = DURATION.matcher(about);
        if (what != What.WAIT || !said.matches()) {
            return Duration.ZERO;
        }
        long count = Long.parseLong(said.group(1));
        return switch (said.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            default -> Duration.ofMinutes(count);
        };
    }

    private static String shortened(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60);
    }
}
