package ai.molecule.proxy.activity;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a kill of this proxy would lose at this moment, in a file that outlives it: {@code <folder>/<proxy>.tally}, two numbers of
 * eight bytes. Keeping it costs a store into mapped memory, which the kernel still has when the process is gone. The file is locked
 * while the process lives, so one that is not is a dead proxy's, whatever became of its process id.
 */
public final class Tally {

    /**
     * @param proxy the killed one
     * @param rows activity rows that were only in its memory; at most, because the answer to the last batch may have been on its way
     * @param calls messages at their agents, whose rows nobody can write; those that somebody looks up again included
     */
    record Loss(String proxy, long rows, long calls) {}

    private static final String SUFFIX = ".tally";
    private static final int ROWS = 0;
    private static final int CALLS = Long.BYTES;
    private static final int SIZE = 2 * Long.BYTES;

    /** The files of this process. It must not open and close them itself: that would end its own lock on them. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final ByteBuffer numbers;
    private final @Nullable Path file;
    private final @Nullable FileChannel channel;

    private Tally(ByteBuffer numbers, @Nullable Path file, @Nullable FileChannel channel) {
        this.numbers = numbers;
        this.file = file;
        this.channel = channel;
    }

    /** Where there is no folder: nobody will know. */
    public static Tally nowhere() {
        return new Tally(ByteBuffer.allocate(SIZE), null, null);
    }

    /** Locked before it can be found. */
    public static Tally in(Path folder, UUID proxy) throws IOException {
        Files.createDirectories(folder);
        var file = folder.resolve(proxy + SUFFIX);
        var fresh = folder.resolve(proxy + ".new");
        var channel = FileChannel.open(
                fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        channel.lock();
        var numbers = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
        OWN.add(file);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        return new Tally(numbers, file, channel);
    }

    /** Rows that are only in memory. */
    void rows(int count) {
        numbers.putLong(ROWS, count);
    }

    /** Messages at their agents. */
    public void calls(int count) {
        numbers.putLong(CALLS, count);
    }

    /** An orderly end. What was not written down before it stays counted, and the next proxy tells of it. */
    public void close() throws IOException {
        if (file == null || channel == null) {
            return;
        }
        if (numbers.getLong(ROWS) == 0 && numbers.getLong(CALLS) == 0) {
            Files.deleteIfExists(file);
        }
        channel.close();
        OWN.remove(file);
    }

    /** What proxies that are dead lost; each is told of once, to whoever asks first. */
    static List<Loss> ofTheDead(Path folder) throws IOException {
        List<Loss> losses = new ArrayList<>();
        try (var files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (var found : files) {
                if (!OWN.contains(found)) {
                    take(found, losses);
                }
            }
        }
        return losses;
    }

    /** Deletes the file while its lock is held: of two proxies that opened it, the second then finds it gone. */
    private static void take(Path file, List<Loss> losses) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var lock = channel.tryLock()) {
            if (lock == null || !Files.exists(file)) {
                return;
            }
            var numbers = ByteBuffer.allocate(SIZE);
            boolean whole = channel.read(numbers, 0) == SIZE;
            Files.delete(file);
            if (whole && (numbers.getLong(ROWS) > 0 || numbers.getLong(CALLS) > 0)) {
                String name = file.getFileName().toString();
                String proxy = name.substring(0, name.length() - SUFFIX.length());
                losses.add(new Loss(proxy, numbers.getLong(ROWS), numbers.getLong(CALLS)));
            }
        } catch (NoSuchFileException takenByAnother) {
            // it tells of it
        }
    }
}
