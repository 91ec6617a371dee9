package ai.molecule.cli.backup;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * A backup while it is written: nobody but its owner can read it, and it has its name only when it is whole. Holds at most one part of a
 * stream in memory, 4 MiB.
 */
final class BackupWriter implements Closeable {

    static final int PART_BYTES = 4 << 20;

    private final Path file;
    private final Path fresh;
    private final OutputStream raw;
    private final TarArchiveOutputStream tar;
    private boolean whole;

    BackupWriter(Path file) throws IOException {
        this.file = file;
        this.fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        fresh.toFile().deleteOnExit(); // of one that is interrupted; the whole one has another name by then
        raw = Files.newOutputStream(fresh, StandardOpenOption.WRITE);
        var packed = new GZIPOutputStream(raw, 1 << 16) {
            {
                def.setLevel(Deflater.BEST_SPEED); // it is waited for, and compressed well enough
            }
        };
        tar = new TarArchiveOutputStream(new BufferedOutputStream(packed, 1 << 16), StandardCharsets.UTF_8.name());
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    }

    void text(String name, String text) throws IOException {
        bytes(name, text.getBytes(StandardCharsets.UTF_8));
    }

    private void bytes(String name, byte[] content) throws IOException {
        var entry = new TarArchiveEntry(name);
        entry.setSize(content.length);
        entry.setMode(0100600);
        tar.putArchiveEntry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
    }

    /** For what says its own size: a file, a folder, a link. Whoever writes calls {@link #endOfEntry}. */
    OutputStream entry(TarArchiveEntry entry) throws IOException {
        tar.putArchiveEntry(entry);
        return tar;
    }

    void endOfEntry() throws IOException {
        tar.closeArchiveEntry();
    }

    /** Bytes of which nobody knows how many come: entries {@code name/000000}, {@code name/000001}, …; one at least. */
    OutputStream parts(String name) {
        return new OutputStream() {

            private final ByteArrayOutputStream part = new ByteArrayOutputStream();
            private int number;

            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                int from = offset;
                int left = length;
                while (left > 0) {
                    int now = Math.min(left, PART_BYTES - part.size());
                    part.write(bytes, from, now);
                    from += now;
                    left -= now;
                    if (part.size() == PART_BYTES) {
                        writePart();
                    }
                }
            }

            private void writePart() throws IOException {
                bytes("%s/%06d".formatted(name, number++), part.toByteArray());
                part.reset();
            }

            @Override
            public void close() throws IOException {
                if (part.size() > 0 || number == 0) {
                    writePart();
                }
            }
        };
    }

    /** Whoever writes fails from now on; from any thread. */
    void cutOff() throws IOException {
        raw.close();
    }

    /** From here on it may have its name. */
    void finish() throws IOException {
        tar.finish();
        whole = true;
    }

    @Override
    public void close() throws IOException {
        try {
            tar.close();
        } finally {
            if (!whole) {
                Files.deleteIfExists(fresh);
            }
        }
        if (whole) {
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
