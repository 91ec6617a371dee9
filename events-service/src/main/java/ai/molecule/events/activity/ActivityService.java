package ai.molecule.events.activity;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.common.loops.LongPolls;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What workspaces say of themselves is stored and announced, and all activity listed. */
public record ActivityService(PgActivityStore store, ActivityLog log, LongPolls arrivals) {

    private static final Logger LOGGER = LoggerFactory.getLogger(ActivityService.class);

    /** Rows are told of by a hint; this is for one that was lost. */
    private static final Duration REREAD_EVERY = Duration.ofSeconds(10);

    /** Stores what a workspace says of itself, and tells who watches and waits. */
    public Future<Void> append(ActivityRow row) {
        var rows = List.of(row);
        return store.append(rows).map(fresh -> {
            log.committed(rows, fresh);
            return null;
        });
    }

    /** Deletes what is kept of workspaces that are gone for good; failing that, it goes when its days are over. */
    public void forget(WorkspacesPurged purged) {
        store.deleteOf(purged.workspaceIds())
                .onFailure(failure -> LOGGER.atWarn()
                        .addKeyValue("workspaces", purged.workspaceIds().size())
                        .setCause(failure)
                        .log("activity of purged workspaces was not deleted"));
    }

    /**
     * The rows asked for; while there are none and the query says to wait, the first that arrive. Fails with GONE when the query's
     * cursor is no row of the workspace: the client starts anew.
     *
     * @param gone completes when the client went away, so that nobody waits for it any longer
     */
    Future<List<Activity>> list(ActivityQuery query, Future<?> gone) {
        return placeOf(query)
                .compose(after -> await(
                        query,
                        after.orElse(null),
                        gone,
                        System.nanoTime() + query.patience().toNanos()));
    }

    private Future<List<Activity>> await(
            ActivityQuery query, @Nullable Long after, Future<?> gone, long deadlineNanos) {
        var left = Duration.ofNanos(deadlineNanos - System.nanoTime());
        if (!left.isPositive() || gone.isComplete() || !arrivals.hasRoom(query.workspaceId())) {
            return store.list(query, after);
        }
        // asked before reading: what arrives in between is not missed
        var arrival = arrivals.next(query.workspaceId(), left.compareTo(REREAD_EVERY) < 0 ? left : REREAD_EVERY);
        gone.onComplete(went -> arrival.tryComplete());
        return store.list(query, after)
                .onFailure(failure -> arrival.tryComplete())
                .compose(rows -> {
                    if (rows.isEmpty()) {
                        return arrival.future().compose(told -> await(query, after, gone, deadlineNanos));
                    }
                    arrival.tryComplete();
                    return Future.succeededFuture(rows);
                });
    }

    /** Where the query goes on: empty without a cursor. */
    private Future<Optional<Long>> placeOf(ActivityQuery query) {
        String sinceId = query.sinceId();
        if (sinceId == null) {
            return Future.succeededFuture(Optional.empty());
        }
        return Ids.find(sinceId)
                .map(id -> store.placeOf(query.workspaceId(), id))
                .orElseThrow(ActivityService::unknownCursor)
                .map(place -> Optional.of(place.orElseThrow(ActivityService::unknownCursor)));
    }

    private static ApiError unknownCursor() {
        return new ApiError(ApiError.Kind.GONE, "since_id is no longer known, start again without it");
    }
}
