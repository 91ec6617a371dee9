package ai.molecule.cli.backup;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.jspecify.annotations.Nullable;

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
    private long entries;
    private String lastName = "";
    private volatile @Nullable InputStream reading;
    private volatile boolean cut;
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
        entry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
    }

    /** For what says its own size: a file, a folder, a link. Whoever writes calls {@link #endOfEntry}. */
    OutputStream entry(TarArchiveEntry entry) throws IOException {
        tar.putArchiveEntry(entry);
        entries++;
        lastName = entry.getName();
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

    /** Whoever writes, or reads what was written, fails from now on; from any thread. */
    void cutOff() throws IOException {
        cut = true;
        raw.close();
        var reading = this.reading;
        if (reading != null) {
            reading.close();
        }
    }

    /**
     * Forces it to disk and reads it back once; from here on it may have its name.
     *
     * @throws IOException when what is read is not what was written
     */
    void finish() throws IOException {
        tar.close();
        try (var written = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
            written.force(true);
        }
        readBack();
        whole = true;
    }

    private void readBack() throws IOException {
        long read = 0;
        String last = "";
        try (var raw = Files.newInputStream(fresh)) {
            reading = raw;
            if (cut) {
                throw new InterruptedIOException("it was interrupted");
            }
            try (var content = read(raw)) {
                for (var entry = content.getNextEntry(); entry != null; entry = content.getNextEntry()) {
                    content.transferTo(OutputStream.nullOutputStream());
                    last = entry.getName();
                    read++;
                }
            }
        }
        if (read != entries || !last.equals(lastName)) {
            throw new IOException("what was written reads back as %d entries of %d; write it to another disk"
                    .formatted(read, entries));
        }
    }

    /** A backup's entries. @throws IOException when it is none */
    static TarArchiveInputStream read(InputStream raw) throws IOException {
        return new TarArchiveInputStream(
                new BufferedInputStream(new GZIPInputStream(raw, 1 << 16), 1 << 16), StandardCharsets.UTF_8.name());
    }

    @Override
    public void close() throws IOException {
        if (!whole) {
            try {
                tar.close();
            } finally {
                Files.deleteIfExists(fresh);
            }
        } else {
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
