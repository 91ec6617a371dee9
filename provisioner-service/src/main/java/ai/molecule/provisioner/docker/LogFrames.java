package ai.molecule.provisioner.docker;

import io.vertx.core.buffer.Buffer;

/** The engine's way to send standard output and error in one stream: frames of 8 bytes of header and their content. */
final class LogFrames {

    private static final int HEADER = 8;
    private static final int LENGTH_AT = 4;

    private LogFrames() {}

    /** Both streams in the order they were written; a frame cut short counts as far as it goes. */
    static Buffer contentOf(Buffer frames) {
        var content = Buffer.buffer(frames.length());
        int at = 0;
        while (at + HEADER <= frames.length()) {
            long end = at + HEADER + frames.getUnsignedInt(at + LENGTH_AT);
            int until = (int) Math.min(end, frames.length());
            content.appendBuffer(frames, at + HEADER, until - at - HEADER);
            at = until;
        }
        return content;
    }
}
