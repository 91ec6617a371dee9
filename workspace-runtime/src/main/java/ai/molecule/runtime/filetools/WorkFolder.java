package ai.molecule.runtime.filetools;

import ai.molecule.runtime.tools.ToolRefusal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder an agent works in. Paths are relative to it, or absolute and below it. {@code ..}, symbolic links and files with several
 * names (hard links) are refused, because they may lead out of it; so is the agent's own configuration where it lies inside. Refusals are
 * sentences for a model.
 */
final class WorkFolder {

    static final int FILE_MAX_BYTES = 1024 * 1024;
    static final int DEPTH_MAX = 32;

    private static final Logger LOGGER = LoggerFactory.getLogger(WorkFolder.class);
    private static final int PATH_MAX_CHARS = 4096;
    private static final int ENTRIES_MAX = 20_000;

    /** What a folder holds. @param size in bytes, of a file */
    record Entry(String name, Kind kind, long size) {}

    enum Kind {
        FOLDER,
        FILE,
        OTHER
    }

    private interface Work<T> {
        T in(SecureDirectoryStream<Path> folder) throws IOException;
    }

    private final Path root;
    private final Path given;
    private final List<Path> hidden;
    private final List<String> output;
    private final FolderLeases leases;
    private final Drafts drafts;

    /** What becomes of a file while nobody else changes it. */
    interface Change {
        /** @param byAnother whether another agent may have changed it last */
        byte[] of(boolean byAnother);
    }

    /**
     * @param hidden folders that may lie inside and are not shown
     * @param output the one folder inside in which files may be changed, which is made; empty for any
     * @param holder what other agents that share the folder are told of who changes a file
     * @throws IOException when it is none
     */
    WorkFolder(Path root, List<Path> hidden, String output, String holder) throws IOException {
        this.root = root.toRealPath();
        this.given = root;
        List<Path> real = new ArrayList<>();
        for (Path folder : hidden) {
            if (Files.exists(folder)) {
                real.add(folder.toRealPath());
            }
        }
        this.hidden = List.copyOf(real);
        this.output = names(output);
        Path written =
                this.output.isEmpty() ? this.root : within(this.output, true, output, made -> pathOf(this.output));
        this.leases = new FolderLeases(written, holder);
        this.drafts = new Drafts(written);
        drafts.left().forEach(left -> deleteLeft(left));
    }

    /** The bytes of a file, {@link #FILE_MAX_BYTES} at most. */
    byte[] read(String path) {
        List<String> names = file(path);
        return within(names.subList(0, names.size() - 1), false, path, folder -> {
            Path name = Path.of(names.getLast());
            readable(folder, names, path);
            Set<OpenOption> options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            try (var channel = folder.newByteChannel(name, options);
                    var in = Channels.newInputStream(channel)) {
                byte[] bytes = in.readNBytes(FILE_MAX_BYTES + 1);
                if (bytes.length > FILE_MAX_BYTES) {
                    throw tooLarge(path);
                }
                return bytes;
            }
        });
    }

    /** A path in the one way of writing it. */
    String normal(String path) {
        return String.join("/", names(path));
    }

    boolean exists(String path) {
        return Files.exists(pathOf(names(path)), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Puts what the change makes of a file in the place of what is there, at once or not at all; folders on the way are made. Nobody else
     * changes it between the moment the change is asked and the end.
     */
    void change(String path, Change change) {
        List<String> names = file(path);
        if (!output.isEmpty()
                && (names.size() <= output.size()
                        || !names.subList(0, output.size()).equals(output))) {
            throw new ToolRefusal(
                    "this folder is for reading; files are changed in " + String.join("/", output) + "/ only");
        }
        try (var lease = leases.acquire(normal(path))) {
            write(path, change.of(lease.followsAnother()), lease);
        } catch (IOException broken) {
            throw new ToolRefusal(path + " cannot be leased: " + broken.getMessage());
        }
    }

    private void write(String path, byte[] bytes, FolderLeases.Lease lease) {
        if (bytes.length > FILE_MAX_BYTES) {
            throw tooLarge(path);
        }
        List<String> names = file(path);
        var draft = drafts.begin(String.join("/", names.subList(0, names.size() - 1)));
        try {
            write(path, names, bytes, lease, draft.name());
        } finally {
            drafts.end(draft);
        }
    }

    private void write(String path, List<String> names, byte[] bytes, FolderLeases.Lease lease, Path draft) {
        within(names.subList(0, names.size() - 1), true, path, folder -> {
            Path name = Path.of(names.getLast());
            Optional<PosixFileAttributes> before = attributes(folder, name);
            if (before.isPresent() && !before.get().isRegularFile()) {
                throw new ToolRefusal(path + " is no file");
            }
            try {
                Set<OpenOption> options = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
                try (var channel = folder.newByteChannel(draft, options)) {
                    var left = ByteBuffer.wrap(bytes);
                    while (left.hasRemaining()) {
                        channel.write(left);
                    }
                    force(channel);
                }
                if (before.isPresent()) {
                    folder.getFileAttributeView(draft, PosixFileAttributeView.class)
                            .setPermissions(before.get().permissions());
                }
                lease.publish(() -> folder.move(draft, folder, name));
                forceNames(folder);
                return true;
            } finally {
                delete(folder, draft);
            }
        });
    }

    /** What is said to be written is on the disk: a task's journal says so from then on, and after a power cut nobody would write it again. */
    private static void force(SeekableByteChannel channel) throws IOException {
        if (channel instanceof FileChannel file) {
            file.force(true);
        }
    }

    private static void forceNames(SecureDirectoryStream<Path> folder) {
        try (var channel = folder.newByteChannel(Path.of("."), Set.of(StandardOpenOption.READ))) {
            force(channel);
        } catch (IOException notHere) {
            LOGGER.atDebug().setCause(notHere).log("a folder cannot be forced to the disk");
        }
    }

    /** By name; of more than 20,000 some are missing. */
    List<Entry> list(String path) {
        List<String> names = names(path);
        return within(names, false, path, folder -> {
            List<Entry> entries = new ArrayList<>();
            for (Path each : folder) {
                String name = String.valueOf(each.getFileName());
                Optional<PosixFileAttributes> attributes = attributes(folder, Path.of(name));
                if (attributes.isPresent() && entries.size() < ENTRIES_MAX && !isHidden(names, name)) {
                    entries.add(entry(name, attributes.get()));
                }
            }
            entries.sort((one, other) -> one.name().compareTo(other.name()));
            return entries;
        });
    }

    private static Entry entry(String name, BasicFileAttributes attributes) {
        Kind kind = attributes.isDirectory() ? Kind.FOLDER : attributes.isRegularFile() ? Kind.FILE : Kind.OTHER;
        return new Entry(name, kind, attributes.size());
    }

    private boolean isHidden(List<String> names, String name) {
        var all = new ArrayList<>(names);
        all.add(name);
        return hidden.stream().anyMatch(pathOf(all)::startsWith);
    }

    private Path pathOf(List<String> names) {
        return root.resolve(String.join("/", names));
    }

    private List<String> file(String path) {
        List<String> names = names(path);
        if (names.isEmpty()) {
            throw new ToolRefusal("path must name a file");
        }
        return names;
    }

    /** The names on the way from the folder. */
    private List<String> names(String path) {
        String inside = path;
        for (Path start : List.of(root, given)) {
            if ((inside + "/").startsWith(start + "/")) {
                inside = inside.substring(
                        Math.min(inside.length(), start.toString().length() + 1));
            }
        }
        if (inside.startsWith("/")) {
            throw new ToolRefusal(path + " is outside of the workspace's folder, " + root);
        }
        if (inside.length() > PATH_MAX_CHARS || inside.indexOf('\0') >= 0) {
            throw new ToolRefusal("path is none");
        }
        List<String> names = new ArrayList<>();
        for (String name : inside.split("/", -1)) {
            if (name.equals("..")) {
                throw new ToolRefusal(path + " has .. in it; write the path from the workspace's folder");
            }
            if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        if (names.size() > DEPTH_MAX) {
            throw new ToolRefusal(path + " is deeper than " + DEPTH_MAX + " folders");
        }
        if (hidden.stream().anyMatch(pathOf(names)::startsWith)) {
            throw new ToolRefusal(path + " is the agent's own configuration");
        }
        return names;
    }

    /** Does something in a folder that stays open meanwhile, whatever becomes of its name. */
    private <T> T within(List<String> names, boolean make, String path, Work<T> work) {
        try (DirectoryStream<Path> start = Files.newDirectoryStream(root)) {
            if (!(start instanceof SecureDirectoryStream<Path> folder)) {
                throw new ToolRefusal("files cannot be used safely on this system");
            }
            return descend(folder, names, 0, make, work);
        } catch (NoSuchFileException absent) {
            throw new ToolRefusal(path + " does not exist");
        } catch (FileSystemException refused) {
            throw new ToolRefusal(path + " cannot be used: "
                    + (refused.getReason() == null ? "it is a link, or no folder" : refused.getReason()));
        } catch (IOException broken) {
            throw new ToolRefusal(path + " cannot be used: " + broken.getMessage());
        }
    }

    private <T> T descend(SecureDirectoryStream<Path> folder, List<String> names, int depth, boolean make, Work<T> work)
            throws IOException {
        if (depth == names.size()) {
            return work.in(folder);
        }
        Path name = Path.of(names.get(depth));
        if (make && attributes(folder, name).isEmpty()) {
            try {
                Files.createDirectory(
                        pathOf(names.subList(0, depth + 1))); // if this went astray, the next line finds nothing
                forceNames(folder);
            } catch (FileAlreadyExistsException meanwhile) {
                // as wanted
            }
        }
        try (var next = folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            return descend(next, names, depth + 1, make, work);
        }
    }

    private void readable(SecureDirectoryStream<Path> folder, List<String> names, String path) throws IOException {
        PosixFileAttributes seen =
                attributes(folder, Path.of(names.getLast())).orElseThrow(() -> new NoSuchFileException(path));
        if (!seen.isRegularFile()) {
            throw new ToolRefusal(path
                    + (seen.isDirectory() ? " is a folder" : seen.isSymbolicLink() ? " is a link" : " is no file"));
        }
        if (seen.size() > FILE_MAX_BYTES) {
            throw tooLarge(path);
        }
        Map<String, Object> named =
                Files.readAttributes(pathOf(names), "unix:nlink,fileKey", LinkOption.NOFOLLOW_LINKS);
        @Nullable Object key = named.get("fileKey");
        if (key == null || !key.equals(seen.fileKey())) {
            throw new ToolRefusal(path + " is being changed, try again");
        }
        if (!Integer.valueOf(1).equals(named.get("nlink"))) {
            throw new ToolRefusal(path + " has other names (hard links), which may be outside of the folder");
        }
    }

    private static Optional<PosixFileAttributes> attributes(SecureDirectoryStream<Path> folder, Path name)
            throws IOException {
        try {
            return Optional.of(
                    folder.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                            .readAttributes());
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    /** Of an agent that was killed. */
    private void deleteLeft(Drafts.Draft left) {
        try {
            within(names(left.folder()), false, left.folder(), folder -> {
                delete(folder, left.name());
                return true;
            });
        } catch (ToolRefusal gone) {
            LOGGER.atDebug().setCause(gone).log("a draft has gone with its folder");
        }
        drafts.end(left);
    }

    private static void delete(SecureDirectoryStream<Path> folder, Path name) throws IOException {
        try {
            folder.deleteFile(name);
        } catch (NoSuchFileException moved) {
            // as wanted
        }
    }

    private static ToolRefusal tooLarge(String path) {
        return new ToolRefusal(path + " is larger than 1 MiB");
    }
}
