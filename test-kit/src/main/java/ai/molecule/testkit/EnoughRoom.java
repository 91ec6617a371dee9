package ai.molecule.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Stops a test JVM at once on a machine that has not the disk or the memory for it, and says which: the tests would fail one by one, each with
 * another error. Where {@code /dev/shm} is small or missing nothing is wrong: databases are on disk then, and tests take longer.
 */
public final class EnoughRoom implements LauncherSessionListener {

    /** Databases, unpacked servers and folders of one JVM's tests took up to 0.6 GB. */
    private static final long DISK_MIN_BYTES = 1L << 30;

    /** A JVM, its PostgreSQL, and what a system test starts. */
    private static final long MEMORY_MIN_BYTES = 1L << 30;

    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        try {
            for (Path folder : List.of(Path.of(System.getProperty("java.io.tmpdir")), Path.of(""))) {
                require(Files.getFileStore(folder.toAbsolutePath()).getUsableSpace(), folder);
            }
            if (Files.isReadable(MEMORY)) {
                for (String line : Files.readAllLines(MEMORY)) {
                    if (line.startsWith(AVAILABLE)) {
                        requireMemory(Long.parseLong(line.replaceAll("\\D", "")) * 1024);
                    }
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void require(long bytes, Path folder) {
        if (bytes < DISK_MIN_BYTES) {
            throw new IllegalStateException(
                    "Tests need 1 GB of disk under %s, and %d MB are free: make room, or set java.io.tmpdir"
                            .formatted(folder.toAbsolutePath(), bytes >> 20));
        }
    }

    private static void requireMemory(long bytes) {
        if (bytes < MEMORY_MIN_BYTES) {
            throw new IllegalStateException(
                    "Tests need 1 GB of memory for each JVM, and %d MB are free: end other programs, or try mvn -T1 -Dtests.forks=1 verify"
                            .formatted(bytes >> 20));
        }
    }
}
