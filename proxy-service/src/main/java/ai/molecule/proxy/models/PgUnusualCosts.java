package ai.molecule.proxy.models;

import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Tells ({@code RUN_COST_UNUSUAL}), once for each, of runs that have cost three times the median of their kind: those of the same agent that
 * the same schedule began, the same webhook, or else somebody. The median is of the last 100 such runs of 30 days that ended and cost
 * something, if there are 10; an agent's last 1,000 runs are looked at. Medians are remembered for a moment, of 100 kinds at most. Of two
 * replicas that see the same run one tells. No call waits for any of this. To be used on one event loop.
 */
final class PgUnusualCosts {

    private static final long TIMES = 3;
    private static final int EARLIER_MIN = 10;
    private static final int EARLIER_MAX = 100;
    private static final int LOOKED_AT_MAX = 1_000;
    private static final int KINDS_MAX = 100;

    /** What costs less than a cent is nobody's business, whatever it is a multiple of. */
    private static final long LEAST_MICROS = 10_000;

    private static final String ALL = "all";

    /** Those under way, and those that ended just now: a run may be over before it is looked at. */
    private static final String OPEN = """
            SELECT id, root_task, workspace_id, asked_by, title FROM works WHERE ended_at IS NULL AND NOT cost_told
            UNION ALL
            SELECT id, root_task, workspace_id, asked_by, title FROM works WHERE ended_at > now() - interval '2 minutes' AND NOT cost_told
            """;

    /** Of the run {@code w}. A schedule's message and the run that it begins have one id. */
    private static final String KIND = """
            coalesce((SELECT 'schedule:' || run.schedule_id::text FROM schedule_runs AS run WHERE run.queue_id = w.root_task LIMIT 1),
                CASE WHEN w.asked_by LIKE 'webhook:%' THEN w.asked_by ELSE 'agent' END)
            """;

    private static final String SPENT =
            "model_team_budgets AS b ON b.team_id = w.id AND b.kind = 'work' AND b.period = '1970-01-01'";

    /** Of the kinds of runs that may have to be told of. */
    private static final String MEDIANS = """
            WITH open AS (%1$s), kinds AS (
                SELECT DISTINCT w.workspace_id, %2$s AS kind FROM open AS w JOIN %3$s WHERE b.spent >= $1 LIMIT $2
            )
            SELECT kinds.workspace_id, kinds.kind, percentile_cont(0.5) WITHIN GROUP (ORDER BY earlier.spent)::bigint AS median,
                count(*)::integer AS runs
            FROM kinds CROSS JOIN LATERAL (
                SELECT b.spent FROM (
                    SELECT id, root_task, workspace_id, asked_by, ended_at FROM works
                    WHERE workspace_id = kinds.workspace_id
                        AND ended_at > now() - interval '30 days' AND ended_at < now() - interval '2 minutes'
                    ORDER BY ended_at DESC LIMIT $3) AS w JOIN %3$s
                WHERE b.spent > 0 AND %2$s = kinds.kind
                ORDER BY w.ended_at DESC LIMIT $4) AS earlier
            GROUP BY kinds.workspace_id, kinds.kind HAVING count(*) >= $5
            """.formatted(OPEN, KIND, SPENT);

    private static final String TELL = """
            WITH open AS (%1$s), due AS (
                SELECT w.id, w.workspace_id, w.title, w.asked_by, m.kind, m.median, m.runs, b.spent
                FROM open AS w JOIN %3$s
                    JOIN unnest($1::uuid[], $2::text[], $3::bigint[], $4::integer[]) AS m (workspace_id, kind, median, runs)
                        ON m.workspace_id = w.workspace_id AND m.kind = %2$s
                WHERE b.spent >= $5::bigint AND b.spent >= $6::bigint * m.median
                ORDER BY w.id LIMIT $7
            ), told AS (
                UPDATE works AS w SET cost_told = true FROM due WHERE w.id = due.id AND NOT w.cost_told RETURNING w.id
            )
            SELECT log.append('RUN_COST_UNUSUAL', workspace_id, jsonb_build_object('id', id, 'title', title, 'asked_by', asked_by,
                'kind', kind, 'spent', trim_scale(spent / 1000000.0), 'median', trim_scale(median / 1000000.0), 'runs', runs))
            FROM due WHERE id IN (SELECT id FROM told)
            """.formatted(OPEN, KIND, SPENT);

    /** @param micros the median, in millionths of a dollar, of so many runs */
    private record Median(UUID workspaceId, String kind, long micros, int runs) {}

    private final Database database;
    private final BriefCache<String, List<Median>> medians;

    /** @param medianAgeMax how long medians are remembered */
    PgUnusualCosts(Database database, Duration medianAgeMax) {
        this.database = database;
        this.medians = new BriefCache<>(medianAgeMax, 1);
    }

    /** How many were told; at most {@code max}. */
    Future<Integer> tell(int max) {
        return medians.get(ALL, key -> read())
                .compose(known -> known.isEmpty() ? Future.succeededFuture(0) : tell(known, max));
    }

    private Future<List<Median>> read() {
        return database.list(
                MEDIANS,
                Tuple.of(LEAST_MICROS, KINDS_MAX, LOOKED_AT_MAX, EARLIER_MAX, EARLIER_MIN),
                PgUnusualCosts::median);
    }

    private Future<Integer> tell(List<Median> known, int max) {
        return database.query(
                        TELL,
                        Tuple.tuple()
                                .addArrayOfUUID(Sql.column(known, Median::workspaceId, UUID[]::new))
                                .addArrayOfString(Sql.column(known, Median::kind, String[]::new))
                                .addArrayOfLong(Sql.column(known, Median::micros, Long[]::new))
                                .addArrayOfInteger(Sql.column(known, Median::runs, Integer[]::new))
                                .addLong(LEAST_MICROS)
                                .addLong(TIMES)
                                .addInteger(max))
                .map(rows -> rows.size());
    }

    private static Median median(Row row) {
        return new Median(
                row.getUUID("workspace_id"), row.getString("kind"), row.getLong("median"), row.getInteger("runs"));
    }
}
