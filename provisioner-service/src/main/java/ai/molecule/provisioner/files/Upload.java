package ai.molecule.provisioner.files;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file that arrived with a chat.
 *
 * @param name sanitised
 * @param contentType as its sender said; null when they did not
 * @param file where it lies meanwhile
 */
record Upload(String name, @Nullable String contentType, Path file, long size) {

    /** What its sender said, or else what its name says; null when neither says anything. */
    @Nullable
    String mimeType() {
        return contentType != null && !contentType.equals("application/octet-stream")
                ? contentType
                : ChatFileName.typeOf(name).orElse(contentType);
    }
}
