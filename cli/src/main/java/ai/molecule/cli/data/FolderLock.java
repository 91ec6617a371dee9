package ai.molecule.cli.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Makes a data folder belong to one launcher. The operating system drops the lock with the process, so a killed launcher
 * never leaves one behind. The file holds the owner's process id and is never deleted: a second process could otherwise lock
 * a file that has no name any more.
 */
public final class FolderLock implements AutoCloseable {

    private final FileChannel channel;
    private final FileLock lock;

    private FolderLock(FileChannel channel, FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /** Takes the lock, or answers empty when another launcher holds it. */
    public static Optional<FolderLock> tryAcquire(Path file) throws IOException {
        var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(
                        Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
                return Optional.of(new FolderLock(channel, lock));
            }
        } catch (OverlappingFileLockException e) {
            // held by this very process: as taken as by any other
        }
        channel.close();
        return Optional.empty();
    }

    /** Whether somebody holds the lock now. */
    public static boolean isHeld(Path file) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock probe = channel.tryLock()) {
            return probe == null;
        } catch (OverlappingFileLockException e) {
            return true;
        }
    }

    /** The process id the holder wrote; empty when there is none to read. */
    public static OptionalLong holder(Path file) {
        try {
            return OptionalLong.of(Long.parseLong(Files.readString(file).strip()));
        } catch (IOException | NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    @Override
    public void close() throws IOException {
        lock.release();
        channel.close();
    }
}
