package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import io.vertx.core.buffer.Buffer;

/** Counts what one import reads. To be used once. */
final class ReadBytes {

    /** Of all the files that are read, each once however many workspaces get it. */
    private static final long MAX = 64L * 1024 * 1024;

    private long total;

    /** Fails with INVALID beyond 64 MiB. */
    Buffer counted(byte[] content) {
        total += content.length;
        if (total > MAX) {
            throw ApiError.invalid("all files together are larger than %d bytes".formatted(MAX));
        }
        return Buffer.buffer(content);
    }
}
