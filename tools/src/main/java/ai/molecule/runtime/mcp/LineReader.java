package ai.molecule.runtime.mcp;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Lines of UTF-8. One longer than {@value #LINE_MAX_BYTES} bytes comes as an empty line. */
public final class LineReader {

    public static final int LINE_MAX_BYTES = 4 * 1024 * 1024;

    private final InputStream in;

    public LineReader(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    /** The next line without its end; empty at the end of the input. */
    public Optional<String> next() throws IOException {
        var line = new ByteArrayOutputStream();
        boolean tooLong = false;
        int next = in.read();
        if (next < 0) {
            return Optional.empty();
        }
        while (next >= 0 && next != '\n') {
            if (line.size() < LINE_MAX_BYTES) {
                line.write(next);
            } else {
                tooLong = true;
            }
            next = in.read();
        }
        return Optional.of(tooLong ? "" : line.toString(StandardCharsets.UTF_8));
    }
}
