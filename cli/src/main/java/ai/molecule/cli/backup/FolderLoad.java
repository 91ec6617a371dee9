package ai.molecule.cli.backup;

import ai.molecule.cli.data.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;

/**
 * Folders of a backup on their way back into a data folder. Nothing is written outside of the folders that a backup has, whatever the names
 * and links in it say. Who runs it as root gives every file its owner back; others own all of it.
 */
final class FolderLoad {

    /** Below the data folder: files whose own name could not be given to them, numbered. */
    static final String ASIDE = "set-aside";

    private static final int ASIDE_NAMED_MAX = 20;

    private final Path data;
    private final boolean root;
    private final Deque<TarArchiveEntry> folders = new ArrayDeque<>();
    private final List<String> aside = new ArrayList<>();
    private long asideCount;
    private long files;
    private long leftOut;

    FolderLoad(Path data) {
        this.data = data;
        this.root = "root".equals(System.getProperty("user.name"));
    }

    static boolean isOurs(String name) {
        return FolderCopy.FOLDERS.stream().anyMatch(folder -> name.startsWith(folder + "/"));
    }

    /**
     * Makes the file, folder or link. One that cannot be made under its name, because that is taken or no name here, is set aside. What a
     * start hands over anew ({@link FolderCopy#isHandedOver}), as backups of earlier versions have it, is left out.
     *
     * @throws IOException when the entry would be outside of where it belongs, or nothing more can be written
     */
    void place(TarArchiveEntry entry, InputStream content) throws IOException {
        var name = name(entry);
        Path path = inside(name);
        if (FolderCopy.isHandedOver(data.relativize(path))) {
            leftOut += entry.isFile() ? 1 : 0;
            return;
        }
        if (entry.isDirectory()) {
            try {
                Files.createDirectories(path);
                folders.push(entry); // modes and times at the end: one that may not be written would take no files
            } catch (IOException e) {
                setAside(name + "/", "", e);
            }
        } else if (entry.isSymbolicLink()) {
            String escaped = entry.getExtraPaxHeader(FolderCopy.LINK_BYTES);
            var target = escaped == null ? FileName.ofText(entry.getLinkName()) : FileName.ofEscaped(escaped);
            try {
                Files.createDirectories(path.getParent());
                Files.createSymbolicLink(path, target.path());
            } catch (IOException e) {
                setAside(name.toString(), " (a link to " + target + ")", e);
                return;
            }
            own(path, entry);
        } else if (entry.isFile()) {
            file(name, path, entry, content);
            files++;
        } else {
            throw new IOException(name + " is neither a file nor a folder nor a link");
        }
    }

    private void file(FileName name, Path path, TarArchiveEntry entry, InputStream content) throws IOException {
        Path placed = path;
        OutputStream out;
        try {
            Files.createDirectories(path.getParent());
            out = Files.newOutputStream(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        } catch (IOException e) {
            placed = data.resolve(ASIDE).resolve(Long.toString(asideCount + 1));
            PrivateFiles.createFolder(data.resolve(ASIDE));
            // Where this fails too it is not the name that is wrong.
            out = Files.newOutputStream(placed, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
            setAside(name.toString(), " is " + data.relativize(placed) + " now", e);
        }
        try (var placing = out) {
            content.transferTo(placing);
        }
        finish(placed, entry);
    }

    private void setAside(String name, String whatOfIt, IOException why) {
        if (asideCount++ < ASIDE_NAMED_MAX) {
            String reason = why instanceof FileAlreadyExistsException ? "the name is taken" : PrivateFiles.reason(why);
            aside.add(name + whatOfIt + ": " + reason);
        }
    }

    private static FileName name(TarArchiveEntry entry) throws IOException {
        String escaped = entry.getExtraPaxHeader(FolderCopy.NAME_BYTES);
        return escaped == null ? FileName.ofText(entry.getName()) : FileName.ofEscaped(escaped);
    }

    /** A line for each that could not be made under its name, the first twenty. */
    List<String> aside() {
        return List.copyOf(aside);
    }

    /** How many could not be made under their names. */
    long asideCount() {
        return asideCount;
    }

    /** How many files were made. */
    long files() {
        return files;
    }

    /** How many files the backup had, those that were left out among them. */
    long read() {
        return files + leftOut;
    }

    void finishFolders() throws IOException {
        for (var folder : folders) {
            finish(inside(name(folder)), folder);
        }
    }

    private Path inside(FileName name) throws IOException {
        Path path = data.resolve(name.path()).normalize();
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
