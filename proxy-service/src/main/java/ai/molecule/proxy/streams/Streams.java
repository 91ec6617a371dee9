package ai.molecule.proxy.streams;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.StreamsAdvanced;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.streams.StreamHead.Origin;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The streams of this replica and its readers, of whichever replica's streams. To be used on one event loop. A reader is woken
 * when its stream is known to have more, and once per tick, because the hint that says so may be lost.
 */
public final class Streams {

    /** How long a reader whose position is ahead of the journal waits: a living replica commits within that time. */
    private static final Duration COMMIT_WAIT = Duration.ofSeconds(1);

    private static final long COMMIT_LOOK_MILLIS = 50;

    private final Vertx vertx;
    private final StreamStore store;
    private final RelayLimits limits;
    private final JournalLimits keeping;
    private final UUID owner;
    private final Journal journal;
    private final EventRoom room;
    private final Counter gaps;
    private final Map<UUID, Relay> relays = new HashMap<>();
    private final Map<UUID, Set<Reader>> readers = new HashMap<>();

    /**
     * @param owner this replica, for as long as it runs
     * @param journalling told of each group that was written
     */
    public Streams(
            Vertx vertx,
            Bus bus,
            StreamStore store,
            RelayLimits limits,
            JournalLimits keeping,
            UUID owner,
            RunReport journalling,
            MeterRegistry meters) {
        this.vertx = vertx;
        this.store = store;
        this.limits = limits;
        this.keeping = keeping;
        this.owner = owner;
        this.journal = new Journal(vertx, bus, store, owner, journalling);
        this.room = new EventRoom(limits.eventsMaxBytes());
        Gauge.builder("molecule.streams.held.bytes", room, EventRoom::bytes).register(meters);
        this.gaps = meters.counter("molecule.streams.gaps");
        Gauge.builder("molecule.streams.open", relays, Map::size).register(meters);
        Gauge.builder("molecule.streams.uncommitted.bytes", journal, Journal::waitingBytes)
                .register(meters);
        bus.listen(StreamsAdvanced.HINT, hint -> hint.streamIds().forEach(this::wake));
    }

    /**
     * Passes an agent's event stream on, as the owner of it.
     *
     * @param id the stream's, which is that of the activity row about it
     */
    public Relay relay(UUID id, Origin origin, HttpClientResponse agent) {
        var head = StreamHead.begun(id, owner, origin);
        var relay = own(head);
        journal.begin(head, relay);
        relay.follow(agent);
        return relay;
    }

    /** Tells a stream that no agent sends: whoever begins it says its events and its end. */
    public Relay told(UUID id, Origin origin) {
        var head = StreamHead.begun(id, owner, origin);
        var relay = own(head);
        journal.begin(head, relay);
        return relay;
    }

    /** A reader from the first event on, which the agent must not outrun. */
    public Reader firstReader(Relay relay) {
        var head = relay.head();
        var reader = joined(new Reader(vertx, this, head, 0, head.origin().rpcId(), relay));
        relay.heldBy(reader);
        return reader;
    }

    /** A reader of all that is kept of a stream. */
    public Reader reader(StreamHead head, String rpcId) {
        return joined(new Reader(vertx, this, head, head.firstN() - 1, rpcId, relays.get(head.id())));
    }

    /**
     * A reader of exactly what came after the event with that id.
     *
     * @return fails with {@link StreamGap} when the id is none of ours, or not everything after it is kept
     */
    public Future<Reader> resume(String lastEventId, UUID workspaceId, @Nullable UUID callerId, String rpcId) {
        var cursor = Cursor.parse(lastEventId).orElse(null);
        return (cursor == null
                        ? Future.<Reader>failedFuture(new StreamGap("no such stream is kept"))
                        : resume(cursor, workspaceId, callerId, rpcId, System.nanoTime()))
                .onFailure(gap -> gapFound());
    }

    /** The newest stream of a task, also of one whose first events are on their way to the journal; who may know of it, its head says. */
    public Future<Optional<StreamHead>> ofTask(UUID workspaceId, String taskId) {
        String storable = taskId.replace('\0', '\ufffd');
        return store.findOfTask(workspaceId, storable)
                .compose(found -> found.isPresent()
                        ? Future.succeededFuture(found)
                        : journal.flush(COMMIT_WAIT)
                                .otherwiseEmpty()
                                .compose(flushed -> store.findOfTask(workspaceId, storable)));
    }

    /** To be called when a cancel was answered with this end: the owner of the task's streams then sees to it that they end so. */
    public Future<Void> canceled(UUID workspaceId, Sighting end) {
        return store.canceled(workspaceId, end);
    }

    /** Gives every stream of this replica to whoever adopts it, and says goodbye to all readers. */
    public Future<Void> stop(Duration deadline) {
        var flushed = journal.flush(deadline);
        List.copyOf(relays.values()).forEach(Relay::handOver);
        return flushed.eventually(() -> store.resign(owner)).otherwiseEmpty();
    }

    /** The message that a stream answers, as it was sent to the agent; empty when it is not kept any more. */
    public Future<byte[]> request(UUID streamId) {
        return store.request(streamId).map(kept -> kept.orElse(new byte[0]));
    }

    EventRoom room() {
        return room;
    }

    UUID owner() {
        return owner;
    }

    StreamStore store() {
        return store;
    }

    RelayLimits limits() {
        return limits;
    }

    Duration patience() {
        return keeping.patience();
    }

    Relay own(StreamHead head) {
        var relay = new Relay(vertx, this, journal, limits, head);
        relays.put(head.id(), relay);
        relay.settled().onComplete(kept -> relays.remove(head.id(), relay));
        return relay;
    }

    /** Streams of those agents that go on here. */
    public List<Relay> at(Set<UUID> workspaces) {
        return relays.values().stream()
                .filter(relay ->
                        !relay.over() && workspaces.contains(relay.origin().workspaceId()))
                .toList();
    }

    /** Agents whose streams go on here. */
    public Set<UUID> targets() {
        return relays.values().stream()
                .filter(relay -> !relay.over())
                .map(relay -> relay.origin().workspaceId())
                .collect(Collectors.toSet());
    }

    @Nullable
    Relay relayOf(UUID streamId) {
        return relays.get(streamId);
    }

    public Set<UUID> known() {
        return Set.copyOf(relays.keySet());
    }

    void wake(UUID streamId) {
        var of = readers.get(streamId);
        if (of != null) {
            List.copyOf(of).forEach(Reader::wake);
        }
    }

    void wakeAll() {
        List.copyOf(readers.keySet()).forEach(this::wake);
    }

    boolean isRead(UUID streamId) {
        return readers.containsKey(streamId);
    }

    void leave(Reader reader) {
        readers.computeIfPresent(reader.head().id(), (id, of) -> of.remove(reader) && of.isEmpty() ? null : of);
    }

    void gapFound() {
        gaps.increment();
    }

    private Reader joined(Reader reader) {
        readers.computeIfAbsent(reader.head().id(), id -> new HashSet<>()).add(reader);
        return reader;
    }

    private Future<Reader> resume(
            Cursor cursor, UUID workspaceId, @Nullable UUID callerId, String rpcId, long askedNanos) {
        return store.find(cursor.stream()).compose(found -> {
            var relay = relays.get(cursor.stream());
            var head = found.orElse(relay == null ? null : relay.head());
            if (head == null && cursor.isYoung() && looking(askedNanos)) {
                return later(cursor, workspaceId, callerId, rpcId, askedNanos); // its first commit may be on its way
            }
            if (head == null
                    || !head.origin().workspaceId().equals(workspaceId)
                    || !head.mayBeReadBy(callerId)
                    || cursor.epoch() > head.starts().size()
                    || cursor.n() < head.firstN() - 1) {
                return Future.failedFuture(new StreamGap("no such events are kept"));
            }
            int newest = relay == null ? head.lastN() : relay.lastN();
            if (cursor.n() <= head.endOf(cursor.epoch(), newest)) {
                return Future.succeededFuture(joined(new Reader(vertx, this, head, cursor.n(), rpcId, relay)));
            }
            boolean mayCome = relay == null
                    && !head.ended()
                    && cursor.epoch() == head.starts().size()
                    && looking(askedNanos);
            return mayCome
                    ? later(cursor, workspaceId, callerId, rpcId, askedNanos)
                    : Future.failedFuture(new StreamGap("that event was lost before it was kept"));
        });
    }

    private static boolean looking(long askedNanos) {
        return System.nanoTime() - askedNanos < COMMIT_WAIT.toNanos();
    }

    private Future<Reader> later(
            Cursor cursor, UUID workspaceId, @Nullable UUID callerId, String rpcId, long askedNanos) {
        return vertx.timer(COMMIT_LOOK_MILLIS, TimeUnit.MILLISECONDS)
                .compose(now -> resume(cursor, workspaceId, callerId, rpcId, askedNanos));
    }
}
