package ai.molecule.system.faults;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The time of day as all services and servers of a platform read it: a library that is loaded into each of them (moved-clock.c) adds what stands in
 * one file. All of them see a move at once, as when a machine slept; what measures how much time passes is left alone.
 */
final class MovedClock {

    private static final VarHandle NANOS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Path library;
    private final Path file;
    private final ByteBuffer moved;

    private MovedClock(Path library, Path file, ByteBuffer moved) {
        this.library = library;
        this.file = file;
        this.moved = moved;
    }

    /** Skips the test where there is no C compiler, or no Linux. */
    static MovedClock in(Path folder) throws IOException, InterruptedException {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "only Linux loads it so");
        Path source = folder.resolve("moved-clock.c");
        try (var written = MovedClock.class.getResourceAsStream("/moved-clock.c")) {
            Files.copy(written, source);
        }
        Path library = folder.resolve("moved-clock.so");
        assumeTrue(compiled(source, library), "there is no C compiler (cc)");
        Path file = folder.resolve("moved-clock");
        try (var opened = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var moved = opened.map(MapMode.READ_WRITE, 0, Long.BYTES).order(ByteOrder.nativeOrder());
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            Files.setPosixFilePermissions(library, PosixFilePermissions.fromString("rwxr-xr-x"));
            return new MovedClock(library, file, moved);
        }
    }

    private static boolean compiled(Path source, Path library) throws IOException, InterruptedException {
        try {
            var compiler = new ProcessBuilder(
                            "cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString(), "-ldl")
                    .inheritIO()
                    .start();
            return compiler.waitFor(1, TimeUnit.MINUTES) && compiler.exitValue() == 0;
        } catch (IOException noCompiler) {
            return false;
        }
    }

    /** For whoever is to read it. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "MOLECULE_MOVED_CLOCK", file.toString());
    }

    Instant now() {
        return Instant.now().plusNanos((long) NANOS.getVolatile(moved, 0));
    }

    void moveTo(Instant moment) {
        NANOS.setVolatile(moved, 0, Duration.between(Instant.now(), moment).toNanos());
    }
}
