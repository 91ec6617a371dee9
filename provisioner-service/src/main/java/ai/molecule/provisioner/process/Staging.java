package ai.molecule.provisioner.process;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder of ours beside the agents' folders, on the same file system: what is for an agent is completed here and then moved
 * there in one step, and what is to be deleted is moved here first. Blocks.
 */
record Staging(Path folder) {

    /** The most that one copied folder may hold. */
    static final int COPY_MAX_FILES = 10_000;

    static final long COPY_MAX_BYTES = 256L * 1024 * 1024;

    /** Files that appear while a folder is emptied belong to a process that still runs; it is not waited for. */
    private static final int EMPTY_TRIES = 3;

    /** What is this old was left behind by a crash: no operation takes so long. */
    private static final Duration LEFT_BEHIND = Duration.ofHours(1);

    private static final Logger LOGGER = LoggerFactory.getLogger(Staging.class);

    Path file(byte[] content) throws IOException {
        var staged = Files.write(Ownership.createFile(fresh()), content, StandardOpenOption.WRITE);
        if (WorkspaceFiles.isProgram(content)) {
            Ownership.open(staged);
        }
        return staged;
    }

    Path copyOfFile(Path source) throws IOException {
        var copy = Ownership.createFile(fresh());
        try (var out = Files.newOutputStream(copy)) {
            Files.copy(source, out);
        }
        return copy;
    }

    /** Without links and whatever else is neither file nor folder. Fails with TOO_LARGE beyond the bounds. */
    Path copyOfFolder(Path source) throws IOException {
        var copy = fresh();
        Files.walkFileTree(source, new Copying(source, copy));
        return copy;
    }

    /** Deletes a name in a folder, with everything below it; links are deleted, not followed. False when there was nothing. */
    boolean destroy(HeldPath parent, String name) throws IOException {
        var found = parent.find(name);
        if (found.isEmpty()) {
            return false;
        }
        boolean directory;
        try (var held = found.get()) {
            directory = held.attributes().isDirectory();
        }
        if (!directory) {
            return Files.deleteIfExists(parent.child(name));
        }
        // One folder at a time and all of them side by side: however deep they were, neither stack nor descriptors run
        // out.
        var doomed = new ArrayDeque<Path>();
        doomed.add(take(parent, name));
        for (var next = doomed.poll(); next != null; next = doomed.poll()) {
            destroy(next, doomed);
        }
        return true;
    }

    /** Deletes what a crash left here. */
    void clear() throws IOException {
        var old = Instant.now().minus(LEFT_BEHIND);
        create();
        try (var here = HeldPath.of(folder);
                var entries = Files.newDirectoryStream(folder)) {
            for (var entry : entries) {
                if (Files.getLastModifiedTime(entry, LinkOption.NOFOLLOW_LINKS)
                        .toInstant()
                        .isBefore(old)) {
                    destroy(here, nameOf(entry));
                }
            }
        } catch (NoSuchFileException removedMeanwhile) {
            // by another operation
        }
    }

    /** Discards what was staged and not moved away. */
    void discard(Path staged) throws IOException {
        try (var here = HeldPath.of(folder)) {
            destroy(here, nameOf(staged));
        }
    }

    private void destroy(Path taken, ArrayDeque<Path> doomed) throws IOException {
        for (int i = 0; i < EMPTY_TRIES; i++) {
            try (var held = HeldPath.of(taken);
                    var entries = Files.newDirectoryStream(held.path())) {
                for (var entry : entries) {
                    if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                        doomed.add(take(held, nameOf(entry)));
                    } else {
                        Files.deleteIfExists(entry);
                    }
                }
            }
            if (taken.toFile().delete()) {
                return;
            }
        }
        LOGGER.atWarn().addKeyValue("folder", taken).log("a folder could not be emptied, it is deleted later");
    }

    /** Moves a folder here; it must be open to its owner for that. */
    private Path take(HeldPath parent, String name) throws IOException {
        var taken = fresh();
        try (var held = parent.find(name).orElseThrow(() -> new NoSuchFileException(name))) {
            if (held.attributes().isDirectory()) {
                Ownership.open(held.path());
            }
        }
        return Files.move(parent.child(name), taken, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path fresh() throws IOException {
        create();
        return folder.resolve(UUID.randomUUID().toString());
    }

    private void create() throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder.getParent());
            try {
                Ownership.createFolder(folder);
            } catch (FileAlreadyExistsException meanwhile) {
                // by another operation
            }
        }
    }

    private static String nameOf(Path path) {
        return path.getFileName().toString();
    }

    private static final class Copying extends SimpleFileVisitor<Path> {

        private final Path source;
        private final Path copy;
        private int files;
        private long bytes;

        Copying(Path source, Path copy) {
            this.source = source;
            this.copy = copy;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path found, BasicFileAttributes attributes) throws IOException {
            count(0);
            Ownership.createFolder(copyOf(found));
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path found, BasicFileAttributes attributes) throws IOException {
            if (attributes.isRegularFile()) {
                count(attributes.size());
                var written = Ownership.createFile(copyOf(found));
                try (var out = Files.newOutputStream(written)) {
                    Files.copy(found, out);
                }
                if (Files.isExecutable(found)) {
                    Ownership.open(written);
                }
            }
            return FileVisitResult.CONTINUE;
        }

        private Path copyOf(Path found) {
            return copy.resolve(source.relativize(found).toString());
        }

        private void count(long size) {
            bytes += size;
            if (++files > COPY_MAX_FILES || bytes > COPY_MAX_BYTES) {
                throw new ApiError(
                        ApiError.Kind.TOO_LARGE,
                        "a folder may hold %d files and %d MiB"
                                .formatted(COPY_MAX_FILES, COPY_MAX_BYTES / (1024 * 1024)));
            }
        }
    }
}
