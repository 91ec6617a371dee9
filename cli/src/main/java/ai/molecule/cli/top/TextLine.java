package ai.molecule.cli.top;

import ai.molecule.cli.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jline.utils.WCWidth;

/** A line of the screen: text in pieces, each with its tone. Whatever stands in it, it is one line and commands no terminal. */
record TextLine(List<Piece> pieces) {

    static final TextLine EMPTY = new TextLine(List.of());
    private static final String CUT = "…";

    /** Text that looks alike. */
    record Piece(Tone tone, String text) {

        Piece {
            text = Printable.line(text);
        }
    }

    static TextLine of(Tone tone, String text) {
        return new TextLine(List.of(new Piece(tone, text)));
    }

    /** In so many columns, cut or filled. */
    static TextLine column(Tone tone, String text, int columns) {
        return of(tone, text).fit(columns);
    }

    /** Likewise, its end at the right. */
    static TextLine rightColumn(Tone tone, String text, int columns) {
        var line = of(tone, text);
        int free = columns - line.width();
        return free <= 0 ? line.fit(columns) : of(tone, " ".repeat(free)).then(line);
    }

    TextLine then(TextLine more) {
        var all = new ArrayList<>(pieces);
        all.addAll(more.pieces);
        return new TextLine(all);
    }

    TextLine then(Tone tone, String text) {
        return then(of(tone, text));
    }

    /** All of it in another tone. */
    TextLine in(Tone tone) {
        return new TextLine(
                pieces.stream().map(piece -> new Piece(tone, piece.text())).toList());
    }

    /** Exactly so many columns. */
    TextLine fit(int columns) {
        int width = width();
        if (width <= columns) {
            return width == columns ? this : then(lastTone(), " ".repeat(columns - width));
        }
        if (columns <= 0) {
            return EMPTY;
        }
        var kept = new ArrayList<Piece>();
        int left = columns - 1;
        for (var piece : pieces) {
            String beginning = beginning(piece.text(), left);
            kept.add(new Piece(piece.tone(), beginning));
            left -= width(beginning);
            if (beginning.length() < piece.text().length()) {
                kept.add(new Piece(piece.tone(), CUT + " ".repeat(left)));
                break;
            }
        }
        return new TextLine(kept);
    }

    private Tone lastTone() {
        var tone = pieces.isEmpty() ? Tone.PLAIN : pieces.getLast().tone();
        return tone == Tone.BAR_WARNING ? Tone.BAR : tone;
    }

    int width() {
        return pieces.stream().mapToInt(piece -> width(piece.text())).sum();
    }

    /** Without its looks. */
    String text() {
        return pieces.stream().map(Piece::text).collect(Collectors.joining());
    }

    /** In columns of a terminal. */
    static int width(String text) {
        return text.codePoints().map(TextLine::width).sum();
    }

    private static int width(int codePoint) {
        return Math.max(0, WCWidth.wcwidth(codePoint));
    }

    private static String beginning(String text, int columns) {
        int left = columns;
        int at = 0;
        while (at < text.length()) {
            int codePoint = text.codePointAt(at);
            left -= width(codePoint);
            if (left < 0) {
                break;
            }
            at += Character.charCount(codePoint);
        }
        return text.substring(0, at);
    }

    /** Words in lines of so many columns, at most so many lines; what does not fit is cut. */
    static List<String> wrapped(String text, int columns, int linesMax) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (String word : Printable.line(text.replaceAll("\\s+", " ").strip()).split(" ", -1)) {
            if (!line.isEmpty() && width(line.toString()) + 1 + width(word) > columns) {
                lines.add(line.toString());
                line.setLength(0);
                if (lines.size() == linesMax) {
                    lines.set(linesMax - 1, beginning(lines.getLast(), columns - 1) + CUT);
                    return lines;
                }
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        if (!line.isEmpty()) {
            lines.add(line.toString());
        }
        return lines;
    }

    /** Likewise, but where that would cut a word or the end, lines are broken anywhere: what is as wide as all lines together is whole. */
    static List<String> whole(String text, int columns, int linesMax) {
        var lines = wrapped(text, columns, linesMax + 1);
        if (lines.size() <= linesMax && lines.stream().allMatch(line -> width(line) <= columns)) {
            return lines;
        }
        var broken = new ArrayList<String>();
        String rest = Printable.line(text.replaceAll("\\s+", " ").strip());
        while (!rest.isEmpty() && broken.size() < linesMax) {
            String line = beginning(rest, columns);
            broken.add(line);
            rest = rest.substring(Math.max(1, line.length()));
        }
        return broken;
    }
}
