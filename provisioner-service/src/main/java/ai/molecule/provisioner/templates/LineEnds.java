package ai.molecule.provisioner.templates;

import io.vertx.core.buffer.Buffer;
import java.util.List;

/** A script with Windows line ends does not run: {@code .sh}, {@code .py} and {@code .md} lose theirs on their way to an agent. */
final class LineEnds {

    private static final List<String> PLAIN = List.of(".sh", ".py", ".md");

    private LineEnds() {}

    static Buffer plain(String path, byte[] content) {
        if (PLAIN.stream().noneMatch(path::endsWith)) {
            return Buffer.buffer(content);
        }
        byte[] kept = new byte[content.length];
        int length = 0;
        for (int i = 0; i < content.length; i++) {
            boolean windows = content[i] == '\r' && i + 1 < content.length && content[i + 1] == '\n';
            if (!windows) {
                kept[length++] = content[i];
            }
        }
        return Buffer.buffer(length).appendBytes(kept, 0, length);
    }
}
