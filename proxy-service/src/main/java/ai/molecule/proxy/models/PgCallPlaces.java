package ai.molecule.proxy.models;

import ai.molecule.common.cache.BriefCache;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which piece of work and which delegation a call is part of, with their limits: of the delegation that its context names, of the work of
 * its trace, else of the one work that all its workspace is at belongs to. Remembered for a moment. To be used on one event loop.
 */
final class PgCallPlaces {

    private static final Duration AGE_MAX = Duration.ofSeconds(2);
    private static final int PLACES_MAX = 10_000;
    private static final BigDecimal MICROS = BigDecimal.valueOf(1_000_000);

    /**
     * A work that a person began has its own id for its trace, and so is found before its first message is written down; what an agent
     * has under way beside it is looked at only then.
     */
    private static final String PLACES = """
            WITH given AS (
                SELECT id, work_id, limit_usd FROM delegations WHERE delegation_id = $2 AND target_id = $1 LIMIT 1
            )
            SELECT 'work' AS kind, id, limit_usd FROM works WHERE id = coalesce((SELECT work_id FROM given),
                (SELECT id FROM works WHERE id = CASE WHEN $3 ~ '^[0-9a-f]{32}$' THEN $3::uuid END), work_of($1, $3))
            UNION ALL SELECT 'delegation', id, limit_usd FROM given
            """;

    private record Place(
            UUID workspaceId,
            @Nullable String context,
            @Nullable String traceId) {}

    private final Pool pool;
    private final BriefCache<Place, List<ModelAccount>> places = new BriefCache<>(AGE_MAX, PLACES_MAX);

    PgCallPlaces(Pool pool) {
        this.pool = pool;
    }

    /** The accounts it counts for beside those of its workspace. */
    Future<List<ModelAccount>> of(PlannedCall call) {
        return places.get(new Place(call.workspaceId(), call.context(), call.traceId()), this::read);
    }

    private Future<List<ModelAccount>> read(Place place) {
        return pool.preparedQuery(PLACES)
                .execute(Tuple.of(place.workspaceId, place.context, place.traceId))
                .map(rows -> rows.stream().map(PgCallPlaces::account).toList());
    }

    private static ModelAccount account(Row row) {
        var limit = row.getBigDecimal("limit_usd");
        return new ModelAccount(
                row.getUUID("id"),
                row.getString("kind"),
                LocalDate.EPOCH,
                limit == null
                        ? null
                        : Long.valueOf(limit.multiply(MICROS)
                                .setScale(0, RoundingMode.DOWN)
                                .longValueExact()));
    }
}
