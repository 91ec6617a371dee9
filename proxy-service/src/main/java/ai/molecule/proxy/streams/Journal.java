package ai.molecule.proxy.streams;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.StreamsAdvanced;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.streams.StreamStore.Addition;
import ai.molecule.proxy.streams.StreamStore.Entry;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what relays say, in groups: the first thing said opens a group, which is committed {@link #LINGER_MILLIS} later or so long
 * after the commit before it. At most {@link #GROUP_MAX_BYTES} and one stream more per commit, one commit at a time. While the
 * database is away a group is tried again once a second; relays hold their agents back meanwhile. To be used on one event loop.
 */
final class Journal {

    private static final Logger LOGGER = LoggerFactory.getLogger(Journal.class);

    /** How long a group is gathered: enough for the words of a few fast agents, and 2 ms below the 5 ms after which it shall be sent. */
    private static final long LINGER_MILLIS = 3;

    private static final long GROUP_MAX_BYTES = 4L << 20;
    private static final long WAITING_MAX_BYTES = 64L << 20;

    /** It runs when poked; of the times only the deadline, and that a failed run is tried again, count. */
    private static final Loop.Times TIMES =
            new Loop.Times(Duration.ofHours(1), Duration.ZERO, Duration.ofSeconds(10), Duration.ofMillis(1));

    /** Who wrote, and hears what became of it. */
    interface Author {

        /**
         * Everything up to this position is kept.
         *
         * @param n 0 when no event was written
         * @param ended whether the end is kept too
         */
        void committed(int n, boolean ended);

        /** Nothing of this stream is kept any more: another replica has adopted it. */
        void disowned();
    }

    private static final class Pending {
        private final long number;
        private final UUID streamId;
        private final Author author;
        private final List<Entry> entries = new ArrayList<>();
        private @Nullable StreamHead begun;
        private @Nullable Sighting task;
        private boolean ended;
        private @Nullable String interruption;
        private long bytes;

        Pending(long number, UUID streamId, Author author) {
            this.number = number;
            this.streamId = streamId;
            this.author = author;
        }

        Addition addition() {
            return new Addition(streamId, entries, task, ended, interruption);
        }
    }

    private final Vertx vertx;
    private final Bus bus;
    private final StreamStore store;
    private final UUID owner;
    private final Loop loop;
    private final Map<UUID, Pending> waiting = new LinkedHashMap<>();

    /** Taken from what waits, not kept yet, to be committed in this order. */
    private final Deque<List<Pending>> groups = new ArrayDeque<>();

    /** Who waits for everything up to a number to be kept, in order. */
    private final Queue<Flush> flushes = new ArrayDeque<>();

    private record Flush(long number, Promise<Void> done) {}

    private long lastNumber;
    private long keptNumber;
    private long waitingBytes;

    Journal(Vertx vertx, Bus bus, StreamStore store, UUID owner, RunReport report) {
        this.vertx = vertx;
        this.bus = bus;
        this.store = store;
        this.owner = owner;
        this.loop = new Loop(vertx, report, "PostgreSQL", TIMES, this::run);
    }

    void begin(StreamHead head, Author author) {
        pending(head.id(), author).begun = head;
    }

    void add(UUID streamId, Author author, Entry entry, @Nullable Sighting task) {
        var pending = pending(streamId, author);
        pending.entries.add(entry);
        pending.task = task == null ? pending.task : task;
        pending.bytes += entry.body().length();
        waitingBytes += entry.body().length();
    }

    /** @param interruption why it ended early; null when it did not */
    void end(UUID streamId, Author author, @Nullable String interruption) {
        var pending = pending(streamId, author);
        pending.ended = true;
        pending.interruption = interruption;
    }

    long waitingBytes() {
        return waitingBytes;
    }

    boolean full() {
        return waitingBytes > WAITING_MAX_BYTES;
    }

    /** Completes when everything said so far is kept, or fails at the deadline. */
    Future<Void> flush(Duration deadline) {
        if (keptNumber == lastNumber) {
            return Future.succeededFuture();
        }
        var flush = new Flush(lastNumber, Promise.promise());
        flushes.add(flush);
        return flush.done
                .future()
                .timeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(late -> flushes.remove(flush));
    }

    private Pending pending(UUID streamId, Author author) {
        var pending = waiting.get(streamId);
        if (pending == null) {
            pending = new Pending(++lastNumber, streamId, author);
            waiting.put(streamId, pending);
            loop.poke();
        }
        return pending;
    }

    private Future<?> run() {
        if (groups.isEmpty() && waiting.isEmpty()) {
            return Future.succeededFuture(0); // what it was poked for went with the run before
        }
        return groups.isEmpty()
                ? vertx.timer(LINGER_MILLIS, TimeUnit.MILLISECONDS).compose(over -> commit(gathered()))
                : commit(groups.element());
    }

    /** Of those that began to wait first; at least one waits. */
    private List<Pending> gathered() {
        List<Pending> group = new ArrayList<>();
        long bytes = 0;
        for (var iterator = waiting.values().iterator(); iterator.hasNext() && bytes < GROUP_MAX_BYTES; ) {
            var pending = iterator.next();
            bytes += pending.bytes;
            group.add(pending);
            iterator.remove();
        }
        groups.add(group);
        return group;
    }

    private Future<?> commit(List<Pending> group) {
        var begun =
                group.stream().map(one -> one.begun).filter(Objects::nonNull).toList();
        return store.append(owner, begun, group.stream().map(Pending::addition).toList())
                .transform(done -> done.failed() && Postgres.isUnavailable(done.cause())
                        ? Future.failedFuture(done.cause()) // and so tried again
                        : settled(group, done));
    }

    private Future<Integer> settled(List<Pending> group, AsyncResult<Set<UUID>> done) {
        if (!groups.remove(group)) {
            return Future.succeededFuture(0); // it was given up on, and kept by the next try
        }
        if (done.failed() && group.size() > 1) {
            group.reversed().forEach(one -> groups.addFirst(List.of(one))); // the bad one must not take others with it
        } else {
            if (done.succeeded()) {
                tell(group, done.result());
            } else {
                refused(group.getFirst(), done.cause());
            }
            group.forEach(one -> waitingBytes -= one.bytes);
            kept(group.getLast().number);
        }
        if (!groups.isEmpty() || !waiting.isEmpty()) {
            loop.poke();
        }
        return Future.succeededFuture(group.size());
    }

    /** Groups are taken in the order in which their streams began to wait. */
    private void kept(long number) {
        keptNumber = number;
        for (var flush = flushes.peek(); flush != null && flush.number <= number; flush = flushes.peek()) {
            flushes.remove();
            flush.done.tryComplete();
        }
    }

    private static void refused(Pending refused, Throwable failure) {
        LOGGER.atError()
                .setCause(failure)
                .addKeyValue("streamId", refused.streamId)
                .log("stream cannot be journalled");
        refused.author.disowned();
    }

    private void tell(List<Pending> group, Set<UUID> mine) {
        for (var pending : group) {
            if (mine.contains(pending.streamId)) {
                pending.author.committed(
                        pending.entries.isEmpty()
                                ? 0
                                : pending.entries.getLast().n(),
                        pending.ended);
            } else {
                pending.author.disowned();
            }
        }
        bus.publish(
                StreamsAdvanced.HINT,
                new StreamsAdvanced(group.stream().map(one -> one.streamId).toList()));
    }
}
