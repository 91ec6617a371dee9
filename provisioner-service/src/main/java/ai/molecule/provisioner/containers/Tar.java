package ai.molecule.provisioner.containers;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/** An archive in memory, for files that travel into and out of containers. Everything in one of ours belongs to the agent. */
public final class Tar {

    public static final int FOLDER_MODE = 0755;
    public static final int FILE_MODE = 0644;
    public static final int PRIVATE_MODE = 0600;

    private final int uid;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarArchiveOutputStream out = new TarArchiveOutputStream(bytes, StandardCharsets.UTF_8.name());

    /** @param uid who owns what is in it */
    public Tar(int uid) {
        this.uid = uid;
        out.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        out.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    }

    /** A folder's files and folders, in path order; links and whatever else it holds are left out. */
    public static Buffer of(Path folder, int uid) throws IOException {
        var tar = new Tar(uid);
        try (var found = Files.walk(folder)) {
            for (var path : found.filter(each -> !each.equals(folder)).sorted().toList()) {
                String name = folder.relativize(path).toString();
                if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    tar.folder(name);
                } else if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    tar.file(name, Files.readAllBytes(path), Files.isExecutable(path) ? FOLDER_MODE : FILE_MODE);
                }
            }
        }
        return tar.finish();
    }

    /** An empty one. */
    public static Buffer empty() {
        return new Tar(0).finish();
    }

    public Tar folder(String path) {
        return add(new TarArchiveEntry(path + "/"), FOLDER_MODE, new byte[0]);
    }

    public Tar file(String path, byte[] content, int mode) {
        return add(new TarArchiveEntry(path), mode, content);
    }

    /** In bytes so far. */
    public int size() {
        return bytes.size();
    }

    /** The archive; nothing can be added to it afterwards. */
    public Buffer finish() {
        try {
            out.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }

    /** What the first entry holds; empty when it is no regular file. */
    public static Optional<Buffer> firstFile(Buffer tar) throws IOException {
        try (var in = new TarArchiveInputStream(new ByteArrayInputStream(tar.getBytes()))) {
            var entry = in.getNextEntry();
            return entry == null || !entry.isFile() || entry.isLink() || entry.isSymbolicLink()
                    ? Optional.empty()
                    : Optional.of(Buffer.buffer(in.readAllBytes()));
        }
    }

    private Tar add(TarArchiveEntry entry, int mode, byte[] content) {
        entry.setIds(uid, uid);
        entry.setMode(mode);
        entry.setSize(content.length);
        try {
            out.putArchiveEntry(entry);
            out.write(content);
            out.closeArchiveEntry();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }
}
