package ai.molecule.proxy.streams;

import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.streams.StreamHead.Origin;
import ai.molecule.proxy.streams.StreamStore.Entry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The owner's side of a stream: reads the agent, numbers its events and hands them to readers and to the journal. What is not
 * committed yet is held, at most {@link #UNCOMMITTED_MAX_BYTES} and what one read brought; then, and while the reader it was
 * begun for is behind, the agent is not read. It goes on whoever leaves. A stream that is silent too long or breaks off ends with
 * a JSON-RPC error event.
 */
public final class Relay implements Journal.Author, EventRoom.Holder {

    private static final long UNCOMMITTED_MAX_BYTES = 1 << 20;

    /** Of what is kept to tell in the end what was said: as much as is kept of a piece of work's words, and what stands around them. */
    private static final int HEARD_MAX_BYTES = 256 * 1024;

    /** A silence of 120 s is noticed within 5 s. */
    private static final int CHECKS_PER_SILENCE = 24;

    /** How long a stream may stay open after its task has ended. */
    private static final long ENDING_MILLIS = 5_000;

    /** How long an agent may take, after it answered a cancel, to say so on the stream. */
    private static final Duration CANCELING = Duration.ofSeconds(2);

    /**
     * How a stream ended.
     *
     * @param lastData the data of its last event, empty when there was none
     * @param heard the data of the events that came through this replica, the first {@value #HEARD_MAX_BYTES} bytes of them
     * @param interruption null when the agent ended it
     * @param unread whether nobody was reading
     * @param handedOver whether it goes on elsewhere: then nothing has ended but this replica's part
     */
    public record End(
            byte[] lastData, List<byte[]> heard, @Nullable String interruption, boolean unread, boolean handedOver) {

        /** Whether it was ended because a person is asked. */
        public boolean letGo() {
            return LET_GO.equals(interruption);
        }
    }

    private static final String LET_GO = "a person is asked, tasks/resubscribe follows the task again";

    private final Vertx vertx;
    private final Streams streams;
    private final Journal journal;
    private final RelayLimits limits;
    private final StreamHead head;
    private final SseSplitter splitter;
    private final Promise<End> ended = Promise.promise();
    private final Promise<Void> settled = Promise.promise();
    private final Promise<Sighting> named = Promise.promise();
    private final List<Buffer> heard = new ArrayList<>();
    private final Map<Integer, Entry> uncommitted = new LinkedHashMap<>(); // by position, in order
    private @Nullable HttpClientResponse agent;
    private @Nullable Reader holding;
    private @Nullable Sighting task;
    private @Nullable Buffer last;
    private @Nullable String farewell;
    private long uncommittedBytes;
    private long heardBytes;
    private long heardKeptBytes;
    private int lastN;
    private boolean held;
    private long heardNanos = System.nanoTime();
    private long canceledNanos;
    private long readOnNanos;

    Relay(Vertx vertx, Streams streams, Journal journal, RelayLimits limits, StreamHead head) {
        this.vertx = vertx;
        this.streams = streams;
        this.journal = journal;
        this.limits = limits;
        this.head = head;
        this.task = head.task();
        this.lastN = head.lastN();
        this.splitter = new SseSplitter(limits.eventMaxBytes());
        ended.future().onComplete(over -> streams.room().left(this));
        ended.future().onComplete(over -> named.tryFail("the stream ended before its task had a name"));
    }

    /** Completes when the stream is over for this replica; never fails. */
    public Future<End> ended() {
        return ended.future();
    }

    /** Completes with the first that is said of its task; fails when it is over for this replica before that. */
    public Future<Sighting> named() {
        return named.future();
    }

    @Override
    public UUID target() {
        return head.origin().workspaceId();
    }

    /** But for what is not committed yet, which has a bound of its own. */
    @Override
    public long heldBytes() {
        return over() ? 0 : splitter.pendingBytes() + heardKeptBytes + (last == null ? 0 : last.length());
    }

    /** What was said is told shorter in the end; only where that is not enough the stream ends. */
    @Override
    public void makeRoom() {
        if (heardKeptBytes > 0) {
            heard.clear();
            heardKeptBytes = 0;
            heardBytes = HEARD_MAX_BYTES + 1L; // words from its middle alone would be none
        } else {
            interrupt("its events are too large for the room that is left, send smaller ones");
        }
    }

    /** Also the id of the activity row about the call. */
    public UUID id() {
        return head.id();
    }

    /** Completes when the journal has everything that it will ever have from here. */
    Future<Void> settled() {
        return settled.future();
    }

    StreamHead head() {
        return head;
    }

    int lastN() {
        return lastN;
    }

    public boolean over() {
        return ended.future().isComplete();
    }

    /** What readers are told when the stream goes on without this replica; null otherwise. */
    @Nullable
    String farewell() {
        return farewell;
    }

    /** An event that is not committed yet; null when it is, or has not happened. */
    @Nullable
    Entry uncommitted(int n) {
        return uncommitted.get(n);
    }

    /** Begins to read; {@code response} is paused. */
    void follow(HttpClientResponse response) {
        if (over()) {
            response.request().reset();
            return;
        }
        agent = response;
        heardNanos = System.nanoTime();
        response.exceptionHandler(broken -> brokeOff())
                .endHandler(end -> agentEnded())
                .handler(this::bytes);
        long silence = every(limits.idle().dividedBy(CHECKS_PER_SILENCE), this::checkSilence);
        long longest = vertx.setTimer(limits.longest().toMillis(), late -> interrupt("the agent took too long"));
        ended.future().onComplete(over -> {
            vertx.cancelTimer(silence);
            vertx.cancelTimer(longest);
        });
        response.resume();
    }

    /** The reader that the agent must not outrun. */
    void heldBy(Reader reader) {
        holding = reader;
    }

    /** A reader has room again or has left. */
    void look() {
        var source = agent;
        if (source == null || over()) {
            return;
        }
        boolean hold =
                uncommittedBytes > UNCOMMITTED_MAX_BYTES || journal.full() || (holding != null && holding.isBehind());
        boolean before = held;
        held = hold; // before resuming, which may bring more at once
        if (hold && !before) {
            source.pause();
        } else if (!hold && before) {
            heardNanos = System.nanoTime(); // the silence was ours
            source.resume();
        }
    }

    /** An event of a stream that no agent sends. */
    public void say(String json) {
        event(EventText.ofData(json));
    }

    /** Ends the stream, for its readers too, with an event that says why. */
    public void interrupt(String why) {
        if (!over()) {
            add(EventText.ofData(
                    EventText.error(head.origin().rpcId(), "stream-interrupted", "stream interrupted: " + why)));
            finish(why);
            drop();
        }
    }

    /** Ends here while its task waits for a person. */
    public void letGo() {
        interrupt(LET_GO);
    }

    public Origin origin() {
        return head.origin();
    }

    /** What it tells of; null before it said so. */
    public @Nullable String taskId() {
        return task == null ? null : task.taskId();
    }

    /** Whether somebody reads, and has not done so for longer than that since this was first asked. */
    public boolean isReadFor(Duration patience) {
        if (readOnNanos == 0) {
            readOnNanos = System.nanoTime();
        }
        return streams.isRead(head.id()) && elapsed(readOnNanos).compareTo(patience) < 0;
    }

    /** Nothing more is to come. */
    public void conclude() {
        finish(null);
        drop();
    }

    /** To be called when a cancel was answered with this end, and again later: if the agent has not said so on the stream by then, we do. */
    void canceled(Sighting end) {
        if (over() || isFinal(task)) {
            return;
        }
        if (canceledNanos == 0) {
            canceledNanos = System.nanoTime();
        } else if (elapsed(canceledNanos).compareTo(CANCELING) >= 0) {
            var spoken = head.origin().protocol();
            var told = end.status() == null
                    ? null
                    : Bridge.status(end.status(), spoken); // the cancel may have been told in another version
            task = new Sighting(end.taskId(), end.contextId(), end.state(), told);
            add(EventText.ofData(spoken.finalEvent(head.origin().rpcId(), task)));
            conclude();
        }
    }

    /** This replica stops; another goes on from what is committed. */
    void handOver() {
        leave("the platform stopped");
    }

    @Override
    public void committed(int n, boolean theEnd) {
        for (var entries = uncommitted.values().iterator(); entries.hasNext(); ) {
            var entry = entries.next();
            if (entry.n() > n) {
                break;
            }
            uncommittedBytes -= entry.body().length();
            entries.remove();
        }
        if (theEnd) {
            settled.tryComplete();
        }
        look();
    }

    @Override
    public void disowned() {
        settled.tryComplete();
        leave("another proxy follows this agent now");
    }

    private void bytes(Buffer chunk) {
        heardNanos = System.nanoTime();
        if (!splitter.feed(chunk, this::event)) {
            interrupt("an event of the agent exceeds 10 MiB");
        }
        if (!over()) {
            streams.room().changed(this);
        }
        look();
    }

    private void event(Buffer raw) {
        var event = EventText.withoutId(raw);
        if (over() || event.length() == 0) {
            return;
        }
        boolean before = isFinal(task);
        if (!before) {
            head.origin().protocol().sight(EventText.data(event)).ifPresent(this::seen);
        }
        add(event);
        if (!before && isFinal(task)) {
            vertx.setTimer(ENDING_MILLIS, late -> conclude());
        }
    }

    private void seen(Sighting sighting) {
        var before = task;
        if (before == null) {
            task = sighting;
            named.tryComplete(sighting);
        } else if (before.taskId().equals(sighting.taskId())) {
            task = before.then(sighting);
        }
    }

    private void add(Buffer event) {
        last = event;
        heardBytes += event.length();
        if (heardBytes <= HEARD_MAX_BYTES) {
            heard.add(event);
            heardKeptBytes += event.length();
        }
        var entry = new Entry(++lastN, event);
        uncommitted.put(entry.n(), entry);
        uncommittedBytes += event.length();
        journal.add(head.id(), this, entry, task);
        streams.wake(head.id());
    }

    private void agentEnded() {
        if (!over() && splitter.rest().length() > 0) {
            event(splitter.rest().copy().appendString("\n\n")); // an event like any other, but for its blank line
        }
        finish(null);
    }

    /** What breaks off after the last word of its task had nothing more to say. */
    private void brokeOff() {
        if (isFinal(task)) {
            conclude();
        } else {
            interrupt("the agent's stream broke off");
        }
    }

    private void checkSilence() {
        if (!held && elapsed(heardNanos).compareTo(limits.idle()) >= 0) {
            interrupt("the agent sent nothing for " + limits.idle().toSeconds() + " s");
        }
        look();
    }

    private void finish(@Nullable String interruption) {
        if (!over()) {
            journal.end(head.id(), this, interruption);
            byte[] lastData = last == null ? new byte[0] : EventText.data(last);
            var said = heard.stream().map(EventText::data).toList();
            ended.complete(new End(lastData, said, interruption, !streams.isRead(head.id()), false));
            streams.wake(head.id());
        }
    }

    private void leave(String why) {
        if (!over()) {
            farewell = why;
            settled.tryComplete();
            ended.complete(new End(new byte[0], List.of(), null, false, true));
            streams.wake(head.id());
            drop();
        }
    }

    private void drop() {
        if (agent != null) {
            agent.request().reset();
        }
    }

    private long every(Duration period, Runnable work) {
        return vertx.setPeriodic(Math.max(1, period.toMillis()), tick -> work.run());
    }

    private static boolean isFinal(@Nullable Sighting task) {
        return task != null && task.state() != null && task.state().isFinal();
    }

    private static Duration elapsed(long sinceNanos) {
        return Duration.ofNanos(System.nanoTime() - sinceNanos);
    }
}
