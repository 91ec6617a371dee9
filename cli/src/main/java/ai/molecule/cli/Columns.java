package ai.molecule.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Rows whose columns are as wide as what stands in them; the last is left as it is. Printed without a colour or a frame, for pipes too. */
public final class Columns {

    private static final int GAP = 2;
    private final List<String> heads;
    private final List<List<String>> rows = new ArrayList<>();

    public Columns(String... heads) {
        this.heads = List.of(heads);
    }

    /** As many cells as there are heads; what others wrote is shown harmless. */
    public Columns row(Object... cells) {
        rows.add(Arrays.stream(cells)
                .map(cell -> Printable.line(String.valueOf(cell)))
                .toList());
        return this;
    }

    /** The heads, then the rows. */
    public List<String> lines() {
        int[] widths = new int[heads.size()];
        every().forEach(row -> {
            for (int at = 0; at < widths.length; at++) {
                widths[at] = Math.max(widths[at], length(row.get(at)));
            }
        });
        return every().map(row -> line(row, widths)).toList();
    }

    public void print(Console console) {
        lines().forEach(console::out);
    }

    private Stream<List<String>> every() {
        return Stream.concat(Stream.of(heads), rows.stream());
    }

    private static String line(List<String> row, int[] widths) {
        var line = new StringBuilder();
        for (int at = 0; at < row.size(); at++) {
            line.append(row.get(at));
            if (at < row.size() - 1) {
                line.append(" ".repeat(widths[at] - length(row.get(at)) + GAP));
            }
        }
        return line.toString().stripTrailing();
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
