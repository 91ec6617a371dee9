package ai.molecule.runtime.filetools;

import ai.molecule.runtime.tools.Excerpt;
import ai.molecule.runtime.tools.ToolRefusal;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Leases on the files of a folder that several agents, each a process of its own, may share. Whoever changes a file holds its lease, with a
 * fencing token that is higher than every one before it; what is published under a token that is not the last is refused.
 *
 * <p>The records are {@value #STRIPES} files of {@value #PLACE}, a file's own by the hash of its path. A short lock of the system guards a record
 * while it is read and written. A holder locks one byte more for as long as it lives: that lock ends with its process, so the lease of one that
 * was killed is free at once. One that only stands still loses its lease to whoever has waited for {@link #TERM}, by the waiter's own
 * clock, and finds its token outdated when it goes on.
 */
final class FolderLeases {

    /** A holder that has not let go after this is taken for one that stands still. What is done under a lease takes milliseconds. */
    static final Duration TERM = Duration.ofSeconds(10);

    static final int STRIPES = 64;
    static final String PLACE = ".molecule/leases";

    /** For the lock of a record, which is held for microseconds, and for leases that others get first. */
    private static final Duration WAIT_MAX = TERM.multipliedBy(3);

    private static final long LOOK_EVERY_MILLIS = 5;
    private static final int HOLDER_MAX_CHARS = 80;

    /** Lies behind every record; the byte of a token is a holder's sign of life. */
    private static final long LIFE_SIGNS = 1L << 20;

    private static final Pattern RECORD = Pattern.compile("(\\d{1,18}) (held|free) (.*)");

    private interface Guarded<T> {
        T run(LeaseRecord now) throws IOException;
    }

    /** The one step that others see. */
    interface Publishing {
        void run() throws IOException;
    }

    /** @param holder who has the lease, or had it last; empty before the first */
    private record LeaseRecord(long token, boolean held, String holder) {

        String line() {
            return token + (held ? " held " : " free ") + holder + "\n";
        }
    }

    private final Path root;
    private final String self;
    private final Duration term;
    private final Duration waitMax;

    /** @param self what others are told of who holds a lease */
    FolderLeases(Path root, String self) {
        this(root, self, TERM);
    }

    FolderLeases(Path root, String self, Duration term) {
        this(root, self, term, WAIT_MAX);
    }

    FolderLeases(Path root, String self, Duration term, Duration waitMax) {
        this.waitMax = waitMax;
        this.root = root;
        this.self = Excerpt.of(self.replaceAll("\\s+", " "), HOLDER_MAX_CHARS);
        this.term = term;
    }

    /**
     * Waits until nobody else holds the file's lease, {@link #WAIT_MAX} at most.
     *
     * @param path from the folder, in one way of writing it
     * @throws ToolRefusal naming the holder
     */
    Lease acquire(String path) throws IOException {
        FileChannel channel = open(path);
        try {
            return await(channel, path);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private Lease await(FileChannel channel, String path) throws IOException {
        long begun = System.nanoTime();
        long tokenSeen = -1;
        long seenSince = begun;
        while (true) {
            boolean standsStill = tokenSeen >= 0 && System.nanoTime() - seenSince > term.toNanos();
            long outdated = standsStill ? tokenSeen : -1;
            var held = guarded(channel, path, now -> take(channel, path, now, outdated));
            if (held.lease() != null) {
                return held.lease();
            }
            if (held.now().token() != tokenSeen) {
                tokenSeen = held.now().token();
                seenSince = System.nanoTime();
            }
            if (System.nanoTime() - begun > waitMax.toNanos()) {
                throw busy(path, held.now().holder());
            }
            pause();
        }
    }

    /** @param lease null where somebody else has it */
    private record Taken(LeaseRecord now, @Nullable Lease lease) {}

    private Taken take(FileChannel channel, String path, LeaseRecord now, long outdated) throws IOException {
        if (now.held() && now.token() != outdated && lives(channel, now.token())) {
            return new Taken(now, null);
        }
        var mine = new LeaseRecord(now.token() + 1, true, self);
        @Nullable FileLock alive = tryLock(channel, LIFE_SIGNS + mine.token());
        if (alive == null) {
            return new Taken(now, null);
        }
        write(channel, mine);
        return new Taken(mine, new Lease(channel, path, mine.token(), now.holder()));
    }

    private static boolean lives(FileChannel channel, long token) throws IOException {
        try (FileLock free = tryLock(channel, LIFE_SIGNS + token)) {
            return free == null;
        }
    }

    /** The right to change one file. Closed, others may. */
    final class Lease implements AutoCloseable {

        private final FileChannel channel;
        private final String path;
        private final long token;
        private final String before;

        private Lease(FileChannel channel, String path, long token, String before) {
            this.channel = channel;
            this.path = path;
            this.token = token;
            this.before = before;
        }

        /** Higher than that of every lease on the file before it. */
        long token() {
            return token;
        }

        /** Whether another agent changed this file last, or one of those that share its record. */
        boolean followsAnother() {
            return !before.isEmpty() && !before.equals(self);
        }

        /** Does what makes the change visible, in the moment in which it is certain that nobody has taken the lease over. */
        void publish(Publishing change) throws IOException {
            guarded(channel, path, now -> {
                if (now.token() != token) {
                    throw new ToolRefusal(path + " was changed by " + now.holder()
                            + " while this agent stood still; read it again. Nothing was written");
                }
                change.run();
                return now;
            });
        }

        @Override
        public void close() throws IOException {
            try (channel) {
                guarded(channel, path, now -> {
                    if (now.token() == token) {
                        write(channel, new LeaseRecord(token, false, self));
                    }
                    return now;
                });
            } catch (InterruptedIOException stopped) {
                // the locks end with the channel, and with them the lease
            }
        }
    }

    private <T> T guarded(FileChannel channel, String path, Guarded<T> work) throws IOException {
        long deadline = System.nanoTime() + waitMax.toNanos();
        while (true) {
            try (FileLock lock = tryLock(channel, 0)) {
                if (lock != null) {
                    return work.run(read(channel));
                }
            }
            if (System.nanoTime() - deadline > 0) {
                throw busy(path, "another agent");
            }
            pause();
        }
    }

    /** One byte; null where another holds it, in this process too. */
    private static @Nullable FileLock tryLock(FileChannel channel, long position) throws IOException {
        try {
            return channel.tryLock(position, 1, false);
        } catch (OverlappingFileLockException here) {
            return null;
        }
    }

    /** One that cannot be read was lost with the machine's power: the time is a token that none before it reached. */
    private static LeaseRecord read(FileChannel channel) throws IOException {
        if (channel.size() == 0) {
            return new LeaseRecord(0, false, "");
        }
        var bytes = ByteBuffer.allocate(512);
        channel.read(bytes, 0);
        Matcher record = RECORD.matcher(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8)
                .lines()
                .findFirst()
                .orElse(""));
        return record.matches()
                ? new LeaseRecord(
                        Long.parseLong(record.group(1)), record.group(2).equals("held"), record.group(3))
                : new LeaseRecord(System.currentTimeMillis(), false, "");
    }

    private static void write(FileChannel channel, LeaseRecord record) throws IOException {
        channel.write(ByteBuffer.wrap(record.line().getBytes(StandardCharsets.UTF_8)), 0);
    }

    private FileChannel open(String path) throws IOException {
        Path folder = SharedPlace.in(root, PLACE);
        Path file = folder.resolve(String.valueOf(Math.floorMod(path.hashCode(), STRIPES)));
        try {
            SharedPlace.share(root, Files.createFile(file));
        } catch (FileAlreadyExistsException known) {
            // as wanted
        }
        return FileChannel.open(
                file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    }

    private static void pause() throws InterruptedIOException {
        try {
            Thread.sleep(LOOK_EVERY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    private static ToolRefusal busy(String path, String holder) {
        return new ToolRefusal(path + " is being changed by " + holder + ", try again");
    }
}
