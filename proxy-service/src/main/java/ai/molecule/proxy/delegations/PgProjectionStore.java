package ai.molecule.proxy.delegations;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** {@link ProjectionStore} on the table {@code delegations}. */
public final class PgProjectionStore implements ProjectionStore {

    private static final String BEHIND = """
            SELECT id, result_id, delegation_id, source_id, target_id, task, status, result_status, result_text, error,
                outcome_unknown, created_at, result_at, revision
            FROM (SELECT *, row_number() OVER (ORDER BY id) AS nth,
                    sum(length(task) + coalesce(length(result_text), 0)) OVER (ORDER BY id) AS chars
                FROM (SELECT * FROM delegations WHERE projected < revision ORDER BY id LIMIT 64) AS unshown) AS sized
            WHERE nth = 1 OR chars <= $1 ORDER BY id
            """;

    /** Safe under races because a revision only grows: a delegation that changed meanwhile still counts as not shown. */
    private static final String PROJECTED = """
            UPDATE delegations AS delegation SET projected = shown.revision
            FROM unnest($1::uuid[], $2::integer[]) AS shown (id, revision)
            WHERE delegation.id = shown.id AND projected < shown.revision
            """;

    /** Keeps those that are due or not yet shown, and those of a piece of work that is kept. */
    private static final String PRUNE = """
            DELETE FROM delegations WHERE id IN (SELECT id FROM delegations
                WHERE created_at < now() - $1::bigint * interval '1 ms' AND due_at IS NULL AND projected >= revision
                  AND NOT EXISTS (SELECT 1 FROM works WHERE works.id = delegations.work_id)
                ORDER BY created_at LIMIT $2)
            """;

    private final Pool pool;

    public PgProjectionStore(Pool pool) {
        this.pool = pool;
    }

    @Override
    public Future<List<Shown>> behind(long charsMax) {
        return pool.preparedQuery(BEHIND).execute(Tuple.of(charsMax)).map(PgShown::all);
    }

    @Override
    public Future<Void> projected(List<Shown> shown) {
        return pool.preparedQuery(PROJECTED)
                .execute(Tuple.tuple()
                        .addArrayOfUUID(shown.stream().map(Shown::id).toArray(UUID[]::new))
                        .addArrayOfInteger(shown.stream().map(Shown::revision).toArray(Integer[]::new)))
                .mapEmpty();
    }

    @Override
    public Future<Integer> prune(Duration age, int max) {
        return pool.preparedQuery(PRUNE).execute(Tuple.of(age.toMillis(), max)).map(rows -> rows.rowCount());
    }
}
