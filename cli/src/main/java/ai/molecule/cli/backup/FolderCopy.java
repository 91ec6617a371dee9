package ai.molecule.cli.backup;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/**
 * Folders of the data folder that no database has: those of agents that are processes, and what the user laid beside them. They are read
 * while agents write: each file is as it was when it was read, and one that became shorter meanwhile is filled up with zeros, as tar does.
 * Links are kept as links and never followed; sockets and pipes are left out.
 */
final class FolderCopy {

    /** Below the data folder; what is not there is left out. */
    static final List<String> FOLDERS = List.of("workspaces", "org-templates", "templates", "plugins");

    /**
     * Headers of an entry whose name, or link, is no UTF-8: the bytes of that ({@link FileName}). A tar that does not know them makes files of
     * the escaped name.
     */
    static final String NAME_BYTES = "MOLECULE.name";

    static final String LINK_BYTES = "MOLECULE.link";

    /** The end of a token's name while it is written differs. */
    private static final String TOKEN = ".auth_token";

    private static final int CHUNK = 1 << 16;

    private final Path data;
    private final BackupWriter backup;
    private long files;
    private long unreadable;

    FolderCopy(Path data, BackupWriter backup) {
        this.data = data;
        this.backup = backup;
    }

    /**
     * Whether it is what the platform hands to an agent at each start, its token and its secrets, in clear: no backup has it, because whoever
     * reads one would be that agent at the platform that goes on, and the next start lays it anew. Nor what lasts as long as a start, its
     * {@code /tmp}.
     *
     * @param path below the data folder
     */
    static boolean isHandedOver(Path path) {
        if (path.getNameCount() < 4 || !path.getName(0).toString().equals("workspaces")) {
            return false;
        }
        String folder = path.getName(2).toString();
        return folder.equals("handover")
                || folder.equals("tmp")
                || (folder.equals("configs")
                        && path.getNameCount() == 4
                        && path.getName(3).toString().startsWith(TOKEN));
    }

    void copy() throws IOException {
        for (String folder : FOLDERS) {
            Path root = data.resolve(folder);
            if (Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)) {
                Files.walkFileTree(root, new Copying());
            }
        }
    }

    long files() {
        return files;
    }

    /** Of which nothing is in the backup. */
    long unreadable() {
        return unreadable;
    }

    private final class Copying extends SimpleFileVisitor<Path> {

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
            if (isHandedOver(data.relativize(folder))) {
                return FileVisitResult.SKIP_SUBTREE;
            }
            backup.entry(described(named(folder, "/", TarConstants.LF_DIR), folder, attributes));
            backup.endOfEntry();
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            if (isHandedOver(data.relativize(file))) {
                return FileVisitResult.CONTINUE;
            }
            if (attributes.isSymbolicLink()) {
                link(file, attributes);
            } else if (attributes.isRegularFile()) {
                file(file, attributes);
            }
            return FileVisitResult.CONTINUE;
        }

        /** It was taken away meanwhile, or is another user's. */
        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) {
            if (!(failure instanceof NoSuchFileException)) {
                unreadable++;
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) {
            return FileVisitResult.CONTINUE;
        }
    }

    private void link(Path link, BasicFileAttributes attributes) throws IOException {
        FileName target;
        try {
            target = FileName.of(Files.readSymbolicLink(link));
        } catch (NoSuchFileException e) {
            return; // taken away meanwhile
        } catch (IOException e) {
            unreadable++;
            return;
        }
        var entry = named(link, "", TarConstants.LF_SYMLINK);
        entry.setLinkName(target.toString());
        if (target.text().isEmpty()) {
            entry.addPaxHeader(LINK_BYTES, target.escaped());
        }
        backup.entry(described(entry, link, attributes));
        backup.endOfEntry();
    }

    private void file(Path file, BasicFileAttributes attributes) throws IOException {
        InputStream content;
        try {
            content = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            unreadable++;
            return;
        }
        try (content) {
            var entry = described(named(file, "", TarConstants.LF_NORMAL), file, attributes);
            entry.setSize(attributes.size());
            exactly(attributes.size(), content, backup.entry(entry));
            backup.endOfEntry();
            files++;
        }
    }

    private static void exactly(long size, InputStream content, OutputStream out) throws IOException {
        var chunk = new byte[CHUNK];
        for (long left = size; left > 0; ) {
            int wanted = (int) Math.min(left, CHUNK);
            int read = content.readNBytes(chunk, 0, wanted);
            Arrays.fill(chunk, read, wanted, (byte) 0);
            out.write(chunk, 0, wanted);
            left -= wanted;
        }
    }

    private TarArchiveEntry named(Path path, String end, byte kind) {
        var name = FileName.of(data.relativize(path));
        var entry = new TarArchiveEntry(name + end, kind);
        if (name.text().isEmpty()) {
            entry.addPaxHeader(NAME_BYTES, name.escaped());
        }
        return entry;
    }

    private static TarArchiveEntry described(TarArchiveEntry entry, Path path, BasicFileAttributes attributes)
            throws IOException {
        entry.setModTime(attributes.lastModifiedTime());
        try {
            Map<String, Object> unix = Files.readAttributes(path, "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS);
            entry.setMode((Integer) Objects.requireNonNull(unix.get("mode")));
            entry.setUserId((Integer) Objects.requireNonNull(unix.get("uid")));
            entry.setGroupId((Integer) Objects.requireNonNull(unix.get("gid")));
        } catch (NoSuchFileException e) {
            // gone since it was listed: the entry keeps the usual modes
        }
        return entry;
    }
}
