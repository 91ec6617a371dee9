package ai.molecule.runtime.commands;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Of what a command writes the beginning and the end, {@value #HALF_BYTES} bytes each: errors stand at either. */
final class KeptOutput {

    static final int HALF_BYTES = 20_000;

    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
    private final byte[] end = new byte[HALF_BYTES];
    private long bytes;

    synchronized void add(byte[] buffer, int length) {
        int first = Math.min(length, HALF_BYTES - beginning.size());
        beginning.write(buffer, 0, first);
        for (int i = first; i < length; i++) {
            end[(int) ((bytes + i - HALF_BYTES) % HALF_BYTES)] = buffer[i];
        }
        bytes += length;
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized String text() {
        if (bytes == 0) {
            return "(no output)";
        }
        String first = beginning.toString(StandardCharsets.UTF_8);
        long more = bytes - beginning.size();
        if (more <= 0) {
            return first.stripTrailing();
        }
        int kept = (int) Math.min(more, HALF_BYTES);
        byte[] inOrder = new byte[kept];
        for (int i = 0; i < kept; i++) {
            inOrder[i] = end[(int) ((more - kept + i) % HALF_BYTES)];
        }
        String left = more > kept ? "\n[" + (more - kept) + " bytes are left out]\n" : "";
        return (first + left + new String(inOrder, StandardCharsets.UTF_8)).stripTrailing();
    }
}
