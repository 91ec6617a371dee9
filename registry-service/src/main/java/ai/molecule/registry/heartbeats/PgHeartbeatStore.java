package ai.molecule.registry.heartbeats;

import ai.molecule.common.db.Session;
import ai.molecule.common.db.Sql;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.PgTransitions;
import ai.molecule.registry.lifecycle.StatusChange;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Heartbeats, in the narrow table {@code heartbeats}, over a connection of its own. */
public record PgHeartbeatStore(Session session) {

    /**
     * A workspace as it stands after its heartbeat was stored.
     *
     * @param secretsVersion how many changes there were of secrets that may concern it; 0 where it was told none
     */
    public record Standing(
            WorkspaceStatus status,
            int incarnation,
            @Nullable UUID parentId,
            long secretsVersion) {

        /** Of one that was told no secret. */
        public Standing(WorkspaceStatus status, int incarnation, @Nullable UUID parentId) {
            this(status, incarnation, parentId, 0);
        }
    }

    /**
     * What one snapshot says.
     *
     * @param changes of who may talk to whom, of transactions that may have been open when they were last read
     * @param open the oldest transaction that was open
     */
    record Standings(Map<UUID, Standing> byWorkspace, List<BranchVersions.Change> changes, long open) {}

    /** What a stored heartbeat changed: the task before it, and the spend of the month, in cents, before and after. */
    public record Recorded(String taskBefore, long spendBefore, long spend) {

        boolean spent() {
            return spendBefore != spend;
        }
    }

    /**
     * Rows are locked in id order, so that the batches of two replicas never wait for each other in a circle. The removal of a
     * workspace deletes its row, so a removed one is not found here.
     */
    private static final String RECORD = """
            WITH said AS (
                SELECT * FROM unnest($1::uuid[], $2::float8[], $3::text[], $4::integer[], $5::text[], $6::integer[],
                    $7::bigint[]) AS said (id, error_rate, sample_error, active_tasks, current_task, uptime_seconds,
                    monthly_spend)
            ), before AS MATERIALIZED (
                SELECT workspace_id, current_task, monthly_spend FROM heartbeats
                WHERE workspace_id = ANY ($1::uuid[]) ORDER BY workspace_id FOR NO KEY UPDATE
            )
            UPDATE heartbeats AS heartbeat
            SET last_heartbeat_at = moment(), error_rate = said.error_rate, sample_error = said.sample_error,
                active_tasks = said.active_tasks, current_task = said.current_task,
                uptime_seconds = said.uptime_seconds,
                last_busy_at = CASE WHEN said.active_tasks > 0 OR heartbeat.active_tasks > 0 THEN moment() ELSE heartbeat.last_busy_at END,
                monthly_spend = CASE WHEN said.monthly_spend > 0 THEN said.monthly_spend
                                     WHEN heartbeat.spend_month = $8 THEN heartbeat.monthly_spend
                                     ELSE 0 END,
                spend_month = $8
            FROM said JOIN before ON before.workspace_id = said.id
            WHERE heartbeat.workspace_id = said.id
            RETURNING heartbeat.workspace_id, before.current_task, before.monthly_spend AS spend_before,
                heartbeat.monthly_spend AS spend
            """;

    /** A statement after the commit: a limit that changes meanwhile is told by whoever changes it. */
    private static final String CROSSED = """
            SELECT w.id, w.version, w.status
            FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS spend (id, before, after)
            JOIN workspaces AS w ON w.id = spend.id
            WHERE (spend.before >= w.budget_limit) <> (spend.after >= w.budget_limit)
            """;

    /**
     * A statement after the commit above: it sees the status a concurrent sweep left that the heartbeat had to wait for. The last row has
     * no id. In order, for else the plan reads the whole table in the hope of finding some soon.
     */
    private static final String STANDINGS = """
            SELECT id, status, incarnation, parent_id, coalesce(holder.version, 0) AS number
            FROM workspaces LEFT JOIN secret_holders AS holder ON holder.workspace_id = id WHERE id = ANY ($1)
            UNION ALL
            (SELECT branch, NULL, NULL, NULL, id FROM branch_changes WHERE changed_in >= $2 ORDER BY changed_in LIMIT %d)
            UNION ALL
            SELECT NULL, NULL, NULL, NULL, pg_snapshot_xmin(pg_current_snapshot())::text::bigint
            """.formatted(BranchVersions.HEARD_MAX + 1);

    private static final String NEWEST_CHANGES = """
            SELECT branch, coalesce((SELECT id FROM branch_changes WHERE branch = asked.branch ORDER BY id DESC LIMIT 1), 0) AS number
            FROM unnest($1::uuid[]) AS asked (branch)
            """;

    private static final String WITH_CAPACITY = """
            SELECT id FROM workspaces JOIN heartbeats ON workspace_id = id
            WHERE id = ANY ($1) AND active_tasks < max_concurrent_tasks
            """;

    /**
     * Stores heartbeats, at most one of each workspace, as heard at this moment by the database's clock; committed when it completes.
     *
     * @param now says which month a spend belongs to
     * @return by workspace; unknown and removed ones are missing
     */
    public Future<Map<UUID, Recorded>> record(List<Heartbeat> heartbeats, Instant now) {
        var parameters = Tuple.of(
                Sql.column(heartbeats, Heartbeat::workspaceId, UUID[]::new),
                Sql.column(heartbeats, Heartbeat::errorRate, Double[]::new),
                Sql.column(heartbeats, Heartbeat::sampleError, String[]::new),
                Sql.column(heartbeats, Heartbeat::activeTasks, Integer[]::new),
                Sql.column(heartbeats, Heartbeat::currentTask, String[]::new),
                Sql.column(heartbeats, Heartbeat::uptimeSeconds, Integer[]::new),
                Sql.column(heartbeats, Heartbeat::monthlySpend, Long[]::new),
                LocalDate.ofInstant(now, ZoneOffset.UTC).withDayOfMonth(1));
        return session.map(
                RECORD,
                parameters,
                row -> row.getUUID("workspace_id"),
                row -> new Recorded(row.getString("current_task"), row.getLong("spend_before"), row.getLong("spend")));
    }

    /** Those of them whose spend reached the limit with this, or fell below it. */
    public Future<List<Changed>> crossedLimits(Map<UUID, Recorded> recorded) {
        var entries = List.copyOf(recorded.entrySet());
        var parameters = Tuple.of(
                entries.stream().map(Map.Entry::getKey).toArray(UUID[]::new),
                entries.stream().map(entry -> entry.getValue().spendBefore()).toArray(Long[]::new),
                entries.stream().map(entry -> entry.getValue().spend()).toArray(Long[]::new));
        return session.list(CROSSED, parameters, row -> PgTransitions.toChanged(row.getUUID("id"), row));
    }

    /** @param since changes of transactions from this one on are told, at most one more than {@link BranchVersions#HEARD_MAX} */
    Future<Standings> standings(Collection<UUID> workspaceIds, long since) {
        return session.query(STANDINGS, Tuple.of(workspaceIds.toArray(UUID[]::new), since))
                .map(PgHeartbeatStore::toStandings);
    }

    /** The newest change of each of these branches; 0 where none is kept. */
    Future<List<BranchVersions.Change>> newestChanges(Collection<UUID> branches) {
        return session.list(
                NEWEST_CHANGES,
                Tuple.of(branches.toArray(UUID[]::new)),
                row -> new BranchVersions.Change(row.getUUID("branch"), row.getLong("number")));
    }

    private static Standings toStandings(RowSet<Row> rows) {
        Map<UUID, Standing> byWorkspace = LinkedHashMap.newLinkedHashMap(rows.size());
        List<BranchVersions.Change> changes = new ArrayList<>();
        long open = 0;
        for (var row : rows) {
            var id = row.getUUID(0);
            String status = row.getString(1);
            if (id == null) {
                open = row.getLong(4);
            } else if (status == null) {
                changes.add(new BranchVersions.Change(id, row.getLong(4)));
            } else {
                byWorkspace.put(
                        id,
                        new Standing(
                                WorkspaceStatus.ofWire(status), row.getInteger(2), row.getUUID(3), row.getLong(4)));
            }
        }
        return new Standings(byWorkspace, changes, open);
    }

    /** Those of them whose last heartbeat told of fewer tasks than they may have. */
    public Future<List<UUID>> withCapacity(Collection<UUID> workspaceIds) {
        var ids = Tuple.of(workspaceIds.toArray(UUID[]::new));
        return session.list(WITH_CAPACITY, ids, row -> row.getUUID("id"));
    }

    /** Applies the changes that still apply and returns them. */
    public Future<List<Changed>> transition(List<StatusChange> changes, Instant now) {
        return PgTransitions.apply(session, changes, now);
    }
}
