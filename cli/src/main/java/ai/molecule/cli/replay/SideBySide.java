package ai.molecule.cli.replay;

import ai.molecule.cli.Printable;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.proxy.models.SpokenAnswers.Spoken;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Two answers in two columns of a terminal.
 *
 * @param full whether long answers are shown as a whole
 */
record SideBySide(String model, int width, boolean full) {

    private static final int LINES_MAX = 10;
    private static final int ASKED_LINES = 2;
    private static final String BETWEEN = " │ ";
    private static final double MICROS = 1e6;

    List<String> show(int nth, Comparison one) {
        List<String> lines = new ArrayList<>();
        String number = nth + "  ";
        var asked = cut(wrapped(one.asked(), width - number.length()), ASKED_LINES);
        for (int i = 0; i < asked.size(); i++) {
            lines.add((i == 0 ? number : " ".repeat(number.length())) + asked.get(i));
        }
        lines.add("─".repeat(column()) + "─┬─" + "─".repeat(column()));
        var left = side(one.recordedModel() + ", recorded", one.recorded().answer(), one.recordedMicros());
        var right = side(one.replayed().model(), one.replayed().answer(), one.replayedMicros());
        IntStream.range(0, Math.max(left.size(), right.size()))
                .mapToObj(i -> row(at(left, i), at(right, i)))
                .forEach(lines::add);
        lines.add("");
        return lines;
    }

    List<String> sum(List<Comparison> all) {
        long refused = all.stream().filter(one -> !one.replayed().answered()).count();
        Long before = Comparison.sum(all, Comparison::recordedMicros);
        Long now = Comparison.sum(all, Comparison::replayedMicros);
        List<String> lines = new ArrayList<>();
        lines.add("═".repeat(column()) + "═╪═" + "═".repeat(column()));
        lines.add(row(
                "%d %s as recorded: %s".formatted(all.size(), all.size() == 1 ? "call" : "calls", dollars(before)),
                "on %s: %s%s".formatted(Printable.line(model), dollars(now), compared(before, now))));
        if (refused > 0) {
            lines.add(row("", refused + " of them not answered, see above"));
        }
        return lines;
    }

    private int column() {
        return (width - BETWEEN.length()) / 2;
    }

    private List<String> side(String name, Spoken answer, @Nullable Long micros) {
        String cost = answer.status() == 200 ? tokens(answer.usage()) + dollars(micros) : "refused, " + answer.status();
        var said = Stream.concat(
                        wrapped(answer.text(), column()).stream(),
                        answer.tools().stream().flatMap(tool -> wrapped("→ " + tool, column()).stream()))
                .toList();
        return Stream.concat(
                        Stream.of(clipped(name, column()), cost, ""), (full ? said : cut(said, LINES_MAX)).stream())
                .toList();
    }

    private static String tokens(@Nullable ModelUsage usage) {
        return usage == null
                ? "tokens not told   "
                : String.format(Locale.ROOT, "%,d in  %,d out   ", usage.prompt(), usage.out());
    }

    /** What is not known is never nothing. */
    private static String dollars(@Nullable Long micros) {
        return micros == null ? "cost unknown" : String.format(Locale.ROOT, "$%.4f", micros / MICROS);
    }

    private static String compared(@Nullable Long before, @Nullable Long now) {
        if (before == null || now == null || before == 0) {
            return "";
        }
        return String.format(Locale.ROOT, "  (%.0f %% of it)", 100.0 * now / before);
    }

    private String row(String left, String right) {
        return (left + " ".repeat(Math.max(0, column() - length(left))) + BETWEEN + right).stripTrailing();
    }

    private static String at(List<String> lines, int nth) {
        return nth < lines.size() ? lines.get(nth) : "";
    }

    private static List<String> cut(List<String> lines, int max) {
        return lines.size() <= max
                ? lines
                : Stream.concat(
                                lines.stream().limit(max - 1L),
                                Stream.of("… " + (lines.size() - max + 1) + " more lines"))
                        .toList();
    }

    private static String clipped(String text, int max) {
        String line = Printable.line(text);
        return length(line) <= max ? line : line.substring(0, line.offsetByCodePoints(0, max - 1)) + "…";
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    /** At blanks where there are some. */
    private static List<String> wrapped(String text, int max) {
        List<String> lines = new ArrayList<>();
        Printable.text(text).replace("\t", "  ").lines().forEach(line -> {
            String left = line;
            while (length(left) > max) {
                int end = left.offsetByCodePoints(0, max);
                int blank = left.lastIndexOf(' ', end);
                int at = blank > 0 ? blank : end;
                lines.add(left.substring(0, at));
                left = left.substring(at).stripLeading();
            }
            lines.add(left);
        });
        return lines;
    }
}
