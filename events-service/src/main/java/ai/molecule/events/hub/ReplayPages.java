package ai.molecule.events.hub;

import ai.molecule.common.ApiError;
import ai.molecule.events.log.LogStore;
import ai.molecule.events.log.LoggedEvent;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Pages of the log shared by all who replay: each is read once, by one query however many ask at the same time, and kept for the
 * next as long as it holds all there is. What was numbered never changes, so a page is never wrong, only short. To be used on one
 * event loop.
 */
final class ReplayPages {

    /** Positions of a page. Pages begin at multiples of it, so that readers at different positions share them. */
    static final int SPAN = 256;

    /** Bytes of encoded events that are kept; parsed, they would take several times that. */
    private static final int KEPT_MAX_BYTES = 4 * 1024 * 1024;

    private final LogStore log;
    private final LongSupplier position;
    private final Duration readMax;
    private final Map<Long, ReplayPage> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Long, Future<ReplayPage>> asked = new HashMap<>();
    private int keptBytes;

    /**
     * @param position the last position that is known to exist
     * @param readMax how long a read may take: one that is never answered must not hold up all who ask for the same page
     */
    ReplayPages(LogStore log, LongSupplier position, Duration readMax) {
        this.log = log;
        this.position = position;
        this.readMax = readMax;
    }

    /** The page that holds what directly follows a position. */
    Future<ReplayPage> following(long seq) {
        long start = seq / SPAN * SPAN;
        var page = kept.get(start);
        if (page != null && page.upTo() >= Math.min(position.getAsLong(), start + SPAN)) {
            return Future.succeededFuture(page);
        }
        var already = asked.get(start);
        if (already != null) {
            return already;
        }
        var reading = read(start)
                .timeout(readMax.toMillis(), TimeUnit.MILLISECONDS)
                .recover(failure -> Future.failedFuture(
                        failure instanceof TimeoutException ? ApiError.platformUnavailable() : failure));
        if (!reading.isComplete()) {
            asked.put(start, reading);
            reading.onComplete(done -> asked.remove(start));
        }
        return reading.onSuccess(fresh -> keep(start, fresh));
    }

    private Future<ReplayPage> read(long start) {
        long known = Math.min(position.getAsLong(), start + SPAN);
        return log.after(start, SPAN, null).compose(rows -> {
            var own = rows.stream().filter(row -> row.seq() <= start + SPAN).toList();
            long upTo = own.isEmpty() ? known : Math.max(known, own.getLast().seq());
            var parcels = Parcel.pack(
                    own.stream().map(LoggedEvent::event).map(Frame::new).toList());
            return upTo - start == own.size()
                    ? Future.succeededFuture(new ReplayPage(upTo, parcels, 0))
                    : log.prunedTo() // asked after reading: what was deleted meanwhile is told, too
                            .map(pruned -> new ReplayPage(upTo, parcels, pruned));
        });
    }

    private void keep(long start, ReplayPage page) {
        var before = kept.put(start, page);
        keptBytes += page.bytes();
        if (before != null) {
            forget(before);
        }
        var oldest = kept.values().iterator();
        while (keptBytes > KEPT_MAX_BYTES) {
            forget(oldest.next());
            oldest.remove();
        }
    }

    private void forget(ReplayPage page) {
        keptBytes -= page.bytes();
        page.parcels().forEach(Parcel::release);
    }
}
