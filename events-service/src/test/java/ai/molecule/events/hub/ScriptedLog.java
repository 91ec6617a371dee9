package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import ai.molecule.events.log.LogPage;
import ai.molecule.events.log.LogStore;
import ai.molecule.events.log.LoggedEvent;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A log of events 1 to {@code last}, that remembers what it was asked, and may stop answering. */
final class ScriptedLog implements LogStore {
    final List<Long> reads = new CopyOnWriteArrayList<>();
    volatile long last;
    volatile long pruned;
    volatile boolean hanging;

    ScriptedLog(long last) {
        this.last = last;
    }

    static LoggedEvent row(long seq) {
        var event = new Event(seq, "ANY", null, Instant.EPOCH, Json.object().put("n", seq));
        return new LoggedEvent(new UUID(0, seq), event);
    }

    @Override
    public Future<Long> last() {
        return Future.succeededFuture(last);
    }

    @Override
    public Future<List<LoggedEvent>> after(long seq, int limit, @Nullable UUID workspaceId) {
        reads.add(seq);
        if (hanging) {
            return Promise.<List<LoggedEvent>>promise().future();
        }
        var rows = LongStream.rangeClosed(Math.max(seq, pruned) + 1, last)
                .limit(limit)
                .mapToObj(ScriptedLog::row)
                .toList();
        return Future.succeededFuture(rows);
    }

    @Override
    public Future<List<LoggedEvent>> ofWorkspaces(long after, long upTo) {
        return Future.failedFuture("not asked");
    }

    @Override
    public Future<List<LoggedEvent>> page(LogPage page) {
        return Future.failedFuture("not asked");
    }

    @Override
    public Future<Long> prunedTo() {
        return Future.succeededFuture(pruned);
    }

    @Override
    public Future<Integer> prune(long upToSeq, int limit) {
        return Future.failedFuture("not asked");
    }

    @Override
    public Future<Boolean> hasUnnumbered() {
        return Future.succeededFuture(false);
    }
}
