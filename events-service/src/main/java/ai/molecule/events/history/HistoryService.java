package ai.molecule.events.history;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.events.history.PgSnapshotStore.Snapshot;
import ai.molecule.events.log.LogService;
import ai.molecule.events.log.LogStore;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rebuilds the org chart of a moment, and keeps the log and its snapshots within the retention. */
public final class HistoryService {

    private static final Logger LOGGER = LoggerFactory.getLogger(HistoryService.class);

    private static final Duration SNAPSHOT_EVERY = Duration.ofDays(1);
    private static final int PAGE_MAX = 1_000;

    /** The most events that one run deletes; the next runs delete the rest. */
    private static final int PRUNED_MAX = 500_000;

    private static final int PRUNED_AT_ONCE_MAX = 5_000;

    private final PgSnapshotStore snapshots;
    private final LogStore log;
    private final LogService settling;
    private final Clock clock;
    private final Duration retention;

    /** A chart, and the position of the last event in it. */
    private record Reached(PastOrg org, long seq) {}

    public HistoryService(
            PgSnapshotStore snapshots, LogStore log, LogService settling, Clock clock, Duration retention) {
        this.snapshots = snapshots;
        this.log = log;
        this.settling = settling;
        this.clock = clock;
        this.retention = retention;
    }

    /**
     * {@code {"at", "workspaces": […], "circles": […]}}. INVALID for a moment to come, GONE for one before the retention.
     *
     * @param at null for now
     */
    Future<ObjectNode> at(@Nullable Instant at) {
        var now = clock.instant();
        var moment = at == null ? now : at;
        if (moment.isAfter(now)) {
            throw ApiError.invalid("at must not be in the future");
        }
        if (moment.isBefore(now.minus(retention))) {
            throw gone();
        }
        return settling.settled()
                .compose(settled -> snapshots.newest(moment))
                .compose(found -> found.isPresent()
                        ? replay(
                                PastOrg.ofChart(found.get().chart()),
                                found.get().seq(),
                                moment)
                        : fromTheBeginning(moment))
                .map(reached -> toJson(moment, reached));
    }

    private Future<Reached> fromTheBeginning(Instant moment) {
        return log.prunedTo().compose(pruned -> {
            if (pruned > 0) {
                throw gone();
            }
            return replay(new PastOrg(), 0, moment);
        });
    }

    private static ApiError gone() {
        return new ApiError(ApiError.Kind.GONE, "at is before what is kept");
    }

    private Future<Reached> replay(PastOrg org, long seq, Instant until) {
        return log.after(seq, PAGE_MAX, null).compose(page -> {
            long reached = seq;
            for (var logged : page) {
                var event = logged.event();
                reached = event.seq() == null ? reached : event.seq();
                // a late commit has a late position and an early time: position decides the order, time what counts
                if (!event.timestamp().isAfter(until)) {
                    org.apply(event);
                }
            }
            return page.size() < PAGE_MAX
                    ? Future.succeededFuture(new Reached(org, reached))
                    : replay(org, reached, until);
        });
    }

    private static ObjectNode toJson(Instant moment, Reached reached) {
        var body = Json.object().put("at", Json.time(moment));
        body.set("workspaces", reached.org.toWorkspaces());
        body.set("circles", reached.org.toCircles());
        return body;
    }

    /** Takes a snapshot when the newest is a day old, then deletes the events that no kept snapshot needs. Idempotent; what fails is tried again by the next run. */
    public Future<Void> run() {
        return snapshots
                .newest(null)
                .compose(newest -> {
                    boolean due = newest.isEmpty()
                            || !newest.get().takenAt().plus(SNAPSHOT_EVERY).isAfter(clock.instant());
                    return due ? takeAfter(newest.orElse(null)) : Future.succeededFuture();
                })
                .compose(taken -> snapshots.forgetBefore(clock.instant().minus(retention)))
                .compose(base -> base.isPresent() ? prune(base.get(), 0) : Future.succeededFuture());
    }

    private Future<Void> takeAfter(@Nullable Snapshot newest) {
        var org = newest == null ? new PastOrg() : PastOrg.ofChart(newest.chart());
        return replay(org, newest == null ? 0 : newest.seq(), Instant.MAX)
                .compose(reached -> snapshots.keep(reached.seq, reached.org.toChart()));
    }

    private Future<Void> prune(long upTo, int before) {
        return log.prune(upTo, PRUNED_AT_ONCE_MAX).compose(deleted -> {
            int sum = before + deleted;
            if (deleted == PRUNED_AT_ONCE_MAX && sum < PRUNED_MAX) {
                return prune(upTo, sum);
            }
            if (sum > 0) {
                LOGGER.atInfo().addKeyValue("events", sum).log("events past the retention deleted");
            }
            return Future.succeededFuture();
        });
    }
}
