package ai.molecule.cli.backup;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;

/**
 * Folders of a backup on their way back into a data folder. Nothing is written outside of the folders that a backup has, whatever the names
 * and links in it say. Who runs it as root gives every file its owner back; others own all of it.
 */
final class FolderLoad {

    private final Path data;
    private final boolean root;
    private final Deque<TarArchiveEntry> folders = new ArrayDeque<>();
    private long files;

    FolderLoad(Path data) {
        this.data = data;
        this.root = "root".equals(System.getProperty("user.name"));
    }

    static boolean isOurs(String name) {
        return FolderCopy.FOLDERS.stream().anyMatch(folder -> name.startsWith(folder + "/"));
    }

    /** @throws IOException when the entry would be outside of where it belongs */
    void place(TarArchiveEntry entry, InputStream content) throws IOException {
        Path path = inside(entry.getName());
        Files.createDirectories(path.getParent());
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            folders.push(entry); // modes and times at the end: one that may not be written would take no files
        } else if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            own(path, entry);
        } else if (entry.isFile()) {
            Files.copy(content, path);
            finish(path, entry);
            files++;
        } else {
            throw new IOException(entry.getName() + " is neither a file nor a folder nor a link");
        }
    }

    long files() {
        return files;
    }

    void finishFolders() throws IOException {
        for (var folder : folders) {
            finish(inside(folder.getName()), folder);
        }
    }

    private Path inside(String name) throws IOException {
        Path path = data.resolve(name).normalize();
        if (!isOurs(data.relativize(path) + "/") || !path.startsWith(data)) {
            throw new IOException(name + " leads out of the data folder");
        }
        for (Path above = path.getParent(); above != null && !above.equals(data); above = above.getParent()) {
            if (Files.isSymbolicLink(above)) {
                throw new IOException(name + " lies behind a link");
            }
        }
        return path;
    }

    private void finish(Path path, TarArchiveEntry entry) throws IOException {
        own(path, entry);
        Files.setPosixFilePermissions(path, permissions(entry.getMode()));
        Files.setLastModifiedTime(
                path, FileTime.from(entry.getLastModifiedTime().toInstant()));
    }

    private void own(Path path, TarArchiveEntry entry) throws IOException {
        if (root) {
            Files.setAttribute(path, "unix:uid", (int) entry.getLongUserId(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", (int) entry.getLongGroupId(), LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Never more than these nine: a program that runs as its owner is none of ours. */
    private static Set<PosixFilePermission> permissions(int mode) {
        var permissions = EnumSet.noneOf(PosixFilePermission.class);
        var all = PosixFilePermission.values(); // from the owner's r to the others' x
        for (int bit = 0; bit < all.length; bit++) {
            if ((mode & (1 << (all.length - 1 - bit))) != 0) {
                permissions.add(all[bit]);
            }
        }
        return permissions;
    }
}
