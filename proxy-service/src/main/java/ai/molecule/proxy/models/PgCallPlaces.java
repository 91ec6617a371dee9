package ai.molecule.proxy.models;

import ai.molecule.common.cache.BriefCache;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which piece of work and which delegation a call is part of, with their limits: of the delegation that its context names, of the work of
 * its trace, else of the one work that all its workspace is at belongs to. Remembered for a moment. To be used on one event loop.
 */
final class PgCallPlaces {

    private static final Duration AGE_MAX = Duration.ofSeconds(2);
    private static final int PLACES_MAX = 10_000;

    /**
     * A work that a person began has its own id for its trace, and so is found before its first message is written down; what an agent
     * has under way beside it is looked at only then.
     */
    private static final String PLACES = """
            WITH given AS (
                SELECT id, work_id, limit_usd FROM delegations WHERE delegation_id = $2 AND target_id = $1 LIMIT 1
            )
            SELECT 'work' AS kind, id, limit_usd, limit_by_default FROM works WHERE id = coalesce((SELECT work_id FROM given),
                (SELECT id FROM works WHERE id = CASE WHEN $3 ~ '^[0-9a-f]{32}$' THEN $3::uuid END), work_of($1, $3))
            UNION ALL SELECT 'delegation', id, limit_usd, false FROM given
            """;

    private record Place(
            UUID workspaceId,
            @Nullable String context,
            @Nullable String traceId) {}

    private final Pool pool;
    private final Supplier<Future<Void>> flush;
    private final BriefCache<Place, List<ModelAccount>> places = new BriefCache<>(AGE_MAX, PLACES_MAX);

    /** @param flush has the begins of runs written that are not yet: they linger, and the first call of a run is not to miss its limit */
    PgCallPlaces(Pool pool, Supplier<Future<Void>> flush) {
        this.pool = pool;
        this.flush = flush;
    }

    /** The accounts it counts for beside those of its workspace. That it is part of no run is not remembered: the next moment it may be. */
    Future<List<ModelAccount>> of(PlannedCall call) {
        var place = new Place(call.workspaceId(), call.context(), call.traceId());
        return places.get(place, this::find).onSuccess(found -> {
            if (found.stream().noneMatch(account -> account.kind().equals("work"))) {
                places.drop(place);
            }
        });
    }

    private Future<List<ModelAccount>> find(Place place) {
        return read(place)
                .compose(found ->
                        found.stream().anyMatch(account -> account.kind().equals("work"))
                                ? Future.succeededFuture(found)
                                : flush.get().compose(written -> read(place)));
    }

    private Future<List<ModelAccount>> read(Place place) {
        return pool.preparedQuery(PLACES)
                .execute(Tuple.of(place.workspaceId, place.context, place.traceId))
                .map(rows -> rows.stream().map(PgCallPlaces::account).toList());
    }

    private static ModelAccount account(Row row) {
        return new ModelAccount(
                row.getUUID("id"),
                row.getString("kind"),
                LocalDate.EPOCH,
                ModelAccount.micros(row.getBigDecimal("limit_usd")),
                null,
                row.getBoolean("limit_by_default"));
    }
}
