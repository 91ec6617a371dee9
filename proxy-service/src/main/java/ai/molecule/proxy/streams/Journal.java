package ai.molecule.proxy.streams;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.StreamsAdvanced;
import ai.molecule.common.db.Postgres;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.streams.StreamStore.Addition;
import ai.molecule.proxy.streams.StreamStore.Entry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
 * Writes what relays say, in groups: the first thing said opens a group, which is committed {@link #LINGER_MILLIS} later or when
 * the commit before it is done. At most {@link #GROUP_MAX_BYTES} and one stream more per commit, one commit at a time. While the
 * database is away a group is tried again; relays hold their agents back meanwhile. To be used on one event loop.
 */
final class Journal {

    private static final Logger LOGGER = LoggerFactory.getLogger(Journal.class);

    /** How long a group is gathered: enough for the words of a few fast agents, and 2 ms below the 5 ms after which it shall be sent. */
    private static final long LINGER_MILLIS = 3;

    private static final long GROUP_MAX_BYTES = 4L << 20;
    private static final long WAITING_MAX_BYTES = 64L << 20;
    private static final Duration RETRY = Duration.ofMillis(200);

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
    private final Duration retry;
    private final Map<UUID, Pending> waiting = new LinkedHashMap<>();

    /** Who waits for everything up to a number to be kept, in order. */
    private final Queue<Flush> flushes = new ArrayDeque<>();

    private record Flush(long number, Promise<Void> done) {}

    private long lastNumber;
    private long keptNumber;
    private long waitingBytes;
    private boolean committing;
    private boolean lingering;

    /** Tries in a row that did not reach the database. */
    private long failedTries;

    Journal(Vertx vertx, Bus bus, StreamStore store, UUID owner) {
        this(vertx, bus, store, owner, RETRY);
    }

    /** @param retry the pause before a group is tried again */
    Journal(Vertx vertx, Bus bus, StreamStore store, UUID owner, Duration retry) {
        this.retry = retry;
        this.vertx = vertx;
        this.bus = bus;
        this.store = store;
        this.owner = owner;
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
        if (!committing && !lingering) {
            lingering = true;
            vertx.setTimer(LINGER_MILLIS, over -> {
                lingering = false;
                commitNext();
            });
        }
        return waiting.computeIfAbsent(streamId, id -> new Pending(++lastNumber, id, author));
    }

    private void commitNext() {
        if (committing) {
            return;
        }
        List<Pending> group = new ArrayList<>();
        long bytes = 0;
        for (var iterator = waiting.values().iterator(); iterator.hasNext() && bytes < GROUP_MAX_BYTES; ) {
            var pending = iterator.next();
            bytes += pending.bytes;
            group.add(pending);
            iterator.remove();
        }
        if (group.isEmpty()) {
            return;
        }
        committing = true;
        long committed = bytes;
        commit(group).onComplete(done -> {
            committing = false;
            waitingBytes -= committed;
            kept(group.getLast().number);
            commitNext();
        });
    }

    /** Groups are taken in the order in which their streams began to wait. */
    private void kept(long number) {
        keptNumber = number;
        for (var flush = flushes.peek(); flush != null && flush.number <= number; flush = flushes.peek()) {
            flushes.remove();
            flush.done.tryComplete();
        }
    }

    private Future<Void> commit(List<Pending> group) {
        Promise<Void> settled = Promise.promise();
        commit(group, settled);
        return settled.future();
    }

    /** Tries do not hang on one another: after a long outage a chain of them would be deeper than the stack. */
    private void commit(List<Pending> group, Promise<Void> settled) {
        var begun =
                group.stream().map(one -> one.begun).filter(Objects::nonNull).toList();
        store.append(owner, begun, group.stream().map(Pending::addition).toList())
                .map(mine -> {
                    tell(group, mine);
                    return mine;
                })
                .onComplete(done -> {
                    if (done.failed() && Postgres.isUnavailable(done.cause())) {
                        unavailable(done.cause());
                        vertx.setTimer(retry.toMillis(), now -> commit(group, settled));
                        return;
                    }
                    available();
                    if (done.succeeded()) {
                        settled.complete();
                    } else {
                        refused(group, done.cause()).onComplete(settled);
                    }
                });
    }

    /** Said when an outage begins and when it is over: at a line for each try, one of an hour would be 18,000 stack traces. */
    private void unavailable(Throwable failure) {
        if (failedTries++ == 0) {
            LOGGER.atWarn().setCause(failure).log("streams are not journalled, trying until the database answers");
        }
    }

    private void available() {
        if (failedTries > 0) {
            LOGGER.atInfo().addKeyValue("failedTries", failedTries).log("streams are journalled again");
            failedTries = 0;
        }
    }

    private Future<Void> refused(List<Pending> group, Throwable failure) {
        if (group.size() > 1) {
            Future<Void> one = Future.succeededFuture();
            for (var pending : group) {
                one = one.compose(before -> commit(List.of(pending))); // the bad one must not take others with it
            }
            return one;
        }
        var refused = group.getFirst();
        LOGGER.atError()
                .setCause(failure)
                .addKeyValue("streamId", refused.streamId)
                .log("stream cannot be journalled");
        refused.author.disowned();
        return Future.succeededFuture();
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
