package ai.molecule.cli.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The end of a log, for the sentence that says why something did not start. */
public final class LogTail {

    private static final int READ_AT_MOST_BYTES = 64 * 1024;

    private LogTail() {}

    /** The last {@code count} lines, oldest first; none when the file cannot be read. */
    public static List<String> lines(Path file, int count) {
        try (var log = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(0, log.length() - READ_AT_MOST_BYTES);
            var bytes = new byte[(int) (log.length() - from)];
            log.seek(from);
            log.readFully(bytes);
            var lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
            return lines.subList(Math.max(0, lines.size() - count), lines.size());
        } catch (IOException e) {
            return List.of();
        }
    }

    /** The same, indented below a sentence that ends with a colon. */
    public static String below(Path file, int count) {
        var text = new StringBuilder();
        lines(file, count).forEach(line -> text.append("\n  ").append(line));
        return text.isEmpty() ? " (nothing)" : text.toString();
    }
}
