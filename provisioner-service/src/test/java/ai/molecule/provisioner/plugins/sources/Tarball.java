package ai.molecule.provisioner.plugins.sources;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Writes archives as a repository is sent, and as a stranger might send one. */
public final class Tarball {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, "UTF-8");

    public Tarball() {
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    }

    public Tarball file(String name, String content) {
        return entry(name, TarConstants.LF_NORMAL, 0100644, content.getBytes(StandardCharsets.UTF_8));
    }

    public Tarball executable(String name, String content) {
        return entry(name, TarConstants.LF_NORMAL, 0100755, content.getBytes(StandardCharsets.UTF_8));
    }

    public Tarball folder(String name) {
        return entry(name, TarConstants.LF_DIR, 0040755, new byte[0]);
    }

    Tarball zeros(String name, int size) {
        return entry(name, TarConstants.LF_NORMAL, 0100644, new byte[size]);
    }

    public Tarball link(String name, String target) {
        return write(linkTo(name, target, TarConstants.LF_SYMLINK), new byte[0]);
    }

    Tarball hardLink(String name, String target) {
        return write(linkTo(name, target, TarConstants.LF_LINK), new byte[0]);
    }

    /** Anything by its letter, such as a device. */
    Tarball special(String name, byte kind) {
        return entry(name, kind, 0100644, new byte[0]);
    }

    /** A name of so many characters, in an entry before the one it belongs to. */
    Tarball longName(int characters) {
        return entry("././@LongLink", TarConstants.LF_GNUTYPE_LONGNAME, 0100644, new byte[characters]);
    }

    /** A header that promises what does not come. */
    Tarball promise(String name, long size) {
        try {
            tar.flush();
            var header = new byte[512];
            var entry = new TarArchiveEntry(name);
            entry.setSize(size);
            entry.writeEntryHeader(header);
            bytes.writeBytes(header);
            return this;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Ends where it is, without the end of an archive. */
    byte[] cut() {
        return gzip(bytes.toByteArray());
    }

    public byte[] gzipped() {
        try {
            tar.finish();
            tar.flush();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return gzip(bytes.toByteArray());
    }

    static byte[] gzip(byte[] content) {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(content);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return out.toByteArray();
    }

    private static TarArchiveEntry linkTo(String name, String target, byte kind) {
        var entry = new TarArchiveEntry(name, kind);
        entry.setLinkName(target);
        return entry;
    }

    private Tarball entry(String name, byte kind, int mode, byte[] content) {
        var entry = new TarArchiveEntry(name, kind, true);
        entry.setMode(mode);
        entry.setSize(content.length);
        return write(entry, content);
    }

    private Tarball write(TarArchiveEntry entry, byte[] content) {
        try {
            tar.putArchiveEntry(entry);
            tar.write(content);
            tar.closeArchiveEntry();
            return this;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
