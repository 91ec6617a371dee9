package ai.molecule.provisioner.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.List;
import java.util.Optional;

/**
 * A file, folder or link, held open but not read. Whoever renames or replaces things meanwhile cannot redirect what is done with
 * it: a name below it is looked up in this very folder, one name at a time and following no link, and a FIFO is seen before
 * anybody waits for its other end. The JDK alone offers neither this nor a folder made in an open folder, hence {@code openat(2)}
 * with {@code O_PATH}, and {@code /proc/self/fd} for everything else: Linux only.
 */
final class HeldPath implements AutoCloseable {

    private static final int O_PATH = 0x20_0000;
    private static final int O_CLOEXEC = 0x8_0000;
    private static final int O_NOFOLLOW = noFollow();
    private static final int CURRENT_FOLDER = -100;
    private static final int ENOENT = 2;
    private static final int ENOTDIR = 20;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CAPTURED = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURED.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle OPENAT = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("openat"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(3),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle CLOSE = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("close"), FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private final int descriptor;

    private HeldPath(int descriptor) {
        this.descriptor = descriptor;
    }

    /** A path that nobody but us can change, up to its last name. Fails with {@link NoSuchFileException}. */
    static HeldPath of(Path ours) throws IOException {
        return openat(CURRENT_FOLDER, ours.toString()).orElseThrow(() -> new NoSuchFileException(ours.toString()));
    }

    /** What stands under a name in this folder, be it a link; empty when there is nothing, or when this is no folder. */
    Optional<HeldPath> find(String name) throws IOException {
        return openat(descriptor, name);
    }

    /** The folder below this one; empty when it is missing or when something else stands at one of the names. */
    Optional<HeldPath> findFolder(List<String> names) throws IOException {
        var here = find(".");
        for (String name : names) {
            if (here.isEmpty()) {
                break;
            }
            try (var above = here.get()) {
                here = above.find(name);
            }
        }
        if (here.isPresent() && !here.get().attributes().isDirectory()) {
            here.get().close();
            return Optional.empty();
        }
        return here;
    }

    /** Of the thing itself; for a link, of the link. */
    PosixFileAttributes attributes() throws IOException {
        return Files.readAttributes(path(), PosixFileAttributes.class);
    }

    /** Leads to the thing itself while it is held, wherever it is moved. For a link it leads nowhere. */
    Path path() {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    /** Leads to a name in this folder. What follows links must not be called with it. */
    Path child(String name) throws FileSystemException {
        try {
            return path().resolve(name);
        } catch (InvalidPathException notInOurEncoding) {
            throw new FileSystemException(name, null, "not a name in the encoding of this platform");
        }
    }

    @Override
    public void close() {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Optional<HeldPath> openat(int folder, String name) throws IOException {
        int opened;
        int errno;
        try (var memory = Arena.ofConfined()) {
            var captured = memory.allocate(CAPTURED);
            opened = (int)
                    OPENAT.invokeExact(captured, folder, memory.allocateFrom(name), O_PATH | O_CLOEXEC | O_NOFOLLOW);
            errno = (int) ERRNO.get(captured, 0L);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
        if (opened >= 0) {
            return Optional.of(new HeldPath(opened));
        }
        if (errno == ENOENT || errno == ENOTDIR) {
            return Optional.empty();
        }
        throw new FileSystemException(name, null, "cannot be opened, errno " + errno);
    }

    /** The one flag of these whose value differs between processors (asm/fcntl.h). */
    private static int noFollow() {
        return System.getProperty("os.arch").equals("aarch64") ? 0x8000 : 0x2_0000;
    }
}
