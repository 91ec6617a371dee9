package ai.molecule.provisioner.backend;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The end of a log as people see it in an error: at most 20 lines and 4 KiB, nothing in it that a terminal would obey. */
public final class LogTail {

    public static final int BYTES_MAX = 4096;
    public static final int LINES_MAX = 20;

    private LogTail() {}

    /**
     * @param end of the log; only its last {@link #BYTES_MAX} bytes are looked at
     * @param cut whether there was more before it, so that its first line may be half a line
     */
    public static String of(byte[] end, boolean cut) {
        int start = Math.max(0, end.length - BYTES_MAX);
        String text = StandardCharsets.UTF_8
                .decode(ByteBuffer.wrap(end, start, end.length - start))
                .toString();
        List<String> lines = text.lines()
                .skip(cut || start > 0 ? 1 : 0)
                .map(line -> line.replaceAll("\\p{Cntrl}", " ").stripTrailing())
                .toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_MAX), lines.size()));
    }
}
