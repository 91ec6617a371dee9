package ai.molecule.provisioner.docker;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The content of the first file in a tar that is still arriving. What comes after it is dropped. */
final class TarContent implements ReadStream<Buffer> {

    private static final int BLOCK = 512;
    private static final int SIZE_AT = 124;
    private static final int SIZE_LENGTH = 12;
    private static final int TYPE_AT = 156;

    private final ReadStream<Buffer> tar;
    private final long size;
    private Buffer header = Buffer.buffer();
    private long skip;
    private long left = -1;

    /**
     * @param tar paused
     * @param size of the file; the header's own is not looked at, for a large one is told elsewhere
     */
    TarContent(ReadStream<Buffer> tar, long size) {
        this.tar = tar;
        this.size = size;
    }

    @Override
    public ReadStream<Buffer> handler(@Nullable Handler<Buffer> handler) {
        tar.handler(
                handler == null
                        ? null
                        : part -> {
                            var content = contentOf(part);
                            if (content.length() > 0) {
                                handler.handle(content);
                            } else {
                                tar.fetch(1); // one was asked for, and the reader got none
                            }
                        });
        return this;
    }

    private Buffer contentOf(Buffer part) {
        if (left < 0) {
            header.appendBuffer(part);
            readHeaders();
            if (left < 0) {
                return Buffer.buffer();
            }
            part = header;
            header = Buffer.buffer();
        }
        int length = (int) Math.min(left, part.length());
        left -= length;
        return part.slice(0, length);
    }

    /** Extended headers come before the file's own; their content is passed over. */
    private void readHeaders() {
        while (true) {
            int passed = (int) Math.min(skip, header.length());
            skip -= passed;
            header = header.getBuffer(passed, header.length());
            if (skip > 0 || header.length() < BLOCK) {
                return;
            }
            byte type = header.getByte(TYPE_AT);
            boolean extended = type == 'x' || type == 'g' || type == 'L' || type == 'K';
            long length = extended
                    ? octal(header.getString(SIZE_AT, SIZE_AT + SIZE_LENGTH, StandardCharsets.US_ASCII.name()))
                    : 0;
            header = header.getBuffer(BLOCK, header.length());
            if (!extended) {
                left = type == '0' || type == 0 ? size : 0;
                return;
            }
            skip = (length + BLOCK - 1) / BLOCK * BLOCK;
        }
    }

    private static long octal(String field) {
        String digits = field.replaceAll("[^0-7]", "");
        return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
    }

    @Override
    public ReadStream<Buffer> exceptionHandler(@Nullable Handler<Throwable> handler) {
        tar.exceptionHandler(handler);
        return this;
    }

    @Override
    public ReadStream<Buffer> endHandler(@Nullable Handler<Void> handler) {
        tar.endHandler(handler);
        return this;
    }

    @Override
    public ReadStream<Buffer> pause() {
        tar.pause();
        return this;
    }

    @Override
    public ReadStream<Buffer> resume() {
        tar.resume();
        return this;
    }

    @Override
    public ReadStream<Buffer> fetch(long amount) {
        tar.fetch(amount);
        return this;
    }
}
