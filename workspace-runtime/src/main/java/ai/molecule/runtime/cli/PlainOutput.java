package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** All that is written is the answer. */
final class PlainOutput implements Output {

    private static final int BUFFER_CHARS = 4096;

    private final Trimmed answer;

    PlainOutput(Reply reply) {
        this.answer = new Trimmed(reply);
    }

    @Override
    public void read(InputStream written) throws IOException {
        var reader = new InputStreamReader(written, StandardCharsets.UTF_8);
        char[] buffer = new char[BUFFER_CHARS];
        for (int length = reader.read(buffer); length >= 0; length = reader.read(buffer)) {
            answer.chunk(new String(buffer, 0, length));
        }
    }
}
