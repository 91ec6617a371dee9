package ai.molecule.proxy.models;

import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.directory.OrgChart;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;

/**
 * Tells ({@code LIMIT_LEVEL}) when 80 percent of the organization's cap of the day (UTC) are spent, or all that may be had, and when that is
 * over: another day, a higher cap. Of two replicas that see the same one finds it told.
 */
record PgCapLevels(Pool pool) {

    /** Where what was told stands at a workspace that is no root any more, it is over there and told again. */
    private static final String TELL = """
            WITH seen AS (
                SELECT s.day_cap_usd, s.told, s.told_at, s.told_on, coalesce(b.spent, 0) AS spent, CASE
                    WHEN s.day_cap_usd IS NULL OR $2::uuid IS NULL THEN 0
                    WHEN b.spent >= s.day_cap_usd * 1000000 OR b.spent + coalesce(b.refused, 0) > s.day_cap_usd * 1000000 THEN 100
                    WHEN b.spent * 10 >= s.day_cap_usd * 8000000 THEN 80
                    ELSE 0 END AS percent
                FROM spending AS s LEFT JOIN model_team_budgets AS b
                    ON b.team_id = '00000000-0000-0000-0000-000000000000' AND b.kind = 'organization' AND b.period = $1
            ), changed AS (
                UPDATE spending AS s SET told = seen.percent, told_at = $2, told_on = $1 FROM seen
                WHERE s.told = seen.told AND s.told_at IS NOT DISTINCT FROM seen.told_at AND s.told_on IS NOT DISTINCT FROM seen.told_on
                    AND (seen.percent <> seen.told
                        OR seen.percent > 0 AND (seen.told_at IS DISTINCT FROM $2 OR seen.told_on IS DISTINCT FROM $1))
                RETURNING seen.*
            ), telling AS (
                SELECT told_at AS place, 0 AS percent, day_cap_usd, spent FROM changed
                WHERE told > 0 AND (percent = 0 OR told_at IS DISTINCT FROM $2)
                UNION ALL
                SELECT $2, percent, day_cap_usd, spent FROM changed WHERE percent > 0
            )
            SELECT log.append('LIMIT_LEVEL', place, jsonb_build_object('of', 'organization', 'id', 'organization',
                'title', 'the organization on ' || $1::date || ' (UTC)', 'percent', percent, 'limit', trim_scale(day_cap_usd),
                'spent', trim_scale(spent / 1000000.0)))
            FROM telling
            """;

    /** Whether there is a cap, or one of which something was told. */
    Future<Boolean> isDue() {
        return pool.query("SELECT day_cap_usd IS NOT NULL OR told > 0 FROM spending")
                .execute()
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    /** How many were told. */
    Future<Integer> tell(LocalDate today, OrgChart chart) {
        return pool.preparedQuery(TELL)
                .execute(Tuple.of(today, rootOf(chart).orElse(null)))
                .map(rows -> rows.size());
    }

    /** A root of no tenant: what all spend together is told nobody who has a role in one tenant only. */
    static Optional<UUID> rootOf(OrgChart chart) {
        return chart.entries().values().stream()
                .filter(entry -> entry.parentId() == null
                        && entry.circle() == null
                        && entry.admitted()
                        && entry.status() != WorkspaceStatus.REMOVED)
                .map(Entry::id)
                .min(Comparator.naturalOrder());
    }
}
