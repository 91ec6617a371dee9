package ai.molecule.cli.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A named pipe of which this process, and the script that started it, are the only writers and into which it never writes. Whoever reads it learns of this
 * process's end, however it ends, because the operating system closes the pipe: that is the end of file every child waits for.
 */
public final class Lifeline implements AutoCloseable {

    private static final Duration MKFIFO_TIMEOUT = Duration.ofSeconds(5);

    private final Path path;
    private final RandomAccessFile writer;
    private final boolean shared;

    private Lifeline(Path path, RandomAccessFile writer, boolean shared) {
        this.path = path;
        this.writer = writer;
        this.shared = shared;
    }

    /**
     * Makes a new pipe under the path and holds it. A pipe that was there before is replaced, not reused: an old reader that has
     * not yet noticed its end would otherwise be kept alive by the new writer.
     *
     * @param shared whether the launcher's script holds it too, so that its end is that of both
     */
    public static Lifeline open(Path path, boolean shared) throws IOException {
        Files.deleteIfExists(path);
        if (!Commands.succeeds(MKFIFO_TIMEOUT, List.of("mkfifo", "-m", "600"), path.toString())) {
            throw new IOException("cannot make the named pipe " + path);
        }
        // Opened for writing alone it would wait for a reader.
        return new Lifeline(path, new RandomAccessFile(path.toFile(), "rw"), shared);
    }

    /** Holds a pipe that the launcher's script has held since an earlier JVM made it: whoever reads it goes on. */
    public static Lifeline join(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new IOException(path + " is gone"); // opening would make a file of it
        }
        return new Lifeline(path, new RandomAccessFile(path.toFile(), "rw"), true);
    }

    /** Whether closing it here leaves it open. */
    boolean isShared() {
        return shared;
    }

    public Path path() {
        return path;
    }

    /** As the standard input of a child. */
    public ProcessBuilder.Redirect asInput() {
        return ProcessBuilder.Redirect.from(path.toFile());
    }

    /** Ends the file for all readers, unless it is shared. */
    @Override
    public void close() throws IOException {
        writer.close();
    }
}
