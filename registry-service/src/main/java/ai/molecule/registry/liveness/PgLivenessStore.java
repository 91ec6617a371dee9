package ai.molecule.registry.liveness;

import ai.molecule.common.db.Session;
import ai.molecule.common.db.Sql;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.PgTransitions;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.lifecycle.StatusChange;
import ai.molecule.registry.lifecycle.Trigger;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Who fell silent, over a session of its own. All times are the database's. */
public final class PgLivenessStore {

    /** How long somebody may be silent; null exempts that kind. */
    public record Limits(@Nullable Duration own, @Nullable Duration external) {}

    /** A look at the clock, and whether this replica is the one that works for the next few seconds. */
    public record Look(boolean mine, Instant at) {}

    /** A workspace found silent and now offline; {@code provisioned} when the platform runs its agent. */
    public record Silenced(Changed changed, boolean provisioned) {

        UUID workspaceId() {
            return changed.workspaceId();
        }
    }

    /** By the database's clock, so that the replicas' need not agree; of two that claim at once the second finds the row taken. */
    private static final String CLAIM = """
            WITH claimed AS (
                INSERT INTO claims (job, holder, until)
                VALUES ('liveness', $1, clock_timestamp() + $2 * interval '1 millisecond')
                ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, until = excluded.until
                WHERE claims.holder = excluded.holder OR claims.until < clock_timestamp()
                RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM claimed) AS mine, moment() AS at
            """;

    private static final String RELEASE = "DELETE FROM claims WHERE job = 'liveness' AND holder = $1";

    /**
     * The heartbeat's row is locked, so that no heartbeat can arrive between this look and the change below; rows in use by
     * others are skipped, so that this waits for nobody and the next sweep looks again. The inner look asks the heartbeats alone
     * for more than can count as silent: mostly nobody, without going through all workspaces each second.
     */
    private static final String SILENT = """
            WITH since AS MATERIALIZED (
                SELECT at, at - $1 * interval '1 millisecond' AS own, at - $2 * interval '1 millisecond' AS external
                FROM (SELECT moment() AS at) AS now WHERE at < $3::timestamptz + $4 * interval '1 millisecond'
            )
            SELECT w.id, w.status, w.incarnation, w.endpoint_url IS NOT NULL AS provisioned,
                coalesce(h.last_heartbeat_at, w.status_since) AS last_heard_at
            FROM since, workspaces AS w JOIN heartbeats AS h ON h.workspace_id = w.id
            WHERE w.id = ANY (ARRAY(
                SELECT workspace_id FROM heartbeats, since
                WHERE NOT asleep AND (last_heartbeat_at IS NULL OR last_heartbeat_at < greatest(own, external))
            ))
              AND w.status IN ('online', 'degraded')
              AND coalesce(h.last_heartbeat_at, w.status_since) < CASE WHEN w.runtime = 'external' THEN external ELSE own END
            ORDER BY w.id
            LIMIT $5
            FOR NO KEY UPDATE OF w, h SKIP LOCKED
            """;

    /** In id order, as batches of heartbeats lock them. */
    private static final String PULL_BACK = """
            UPDATE heartbeats SET last_heartbeat_at = moment() WHERE workspace_id IN (
                SELECT workspace_id FROM heartbeats WHERE last_heartbeat_at > moment() + interval '1 second'
                ORDER BY workspace_id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
            )
            """;

    /** Runs in the transaction that took them offline, under their row locks. */
    private static final String SUSPECT = """
            INSERT INTO suspicions (workspace_id, incarnation, last_heard_at, due_at)
            SELECT id, incarnation, last_heard_at, moment()
            FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[]) AS silent (id, incarnation, last_heard_at)
            ON CONFLICT (workspace_id) DO UPDATE
            SET incarnation = excluded.incarnation, last_heard_at = excluded.last_heard_at, unanswered = 0,
                answered = false, due_at = excluded.due_at
            """;

    private final Session session;
    private final Duration claimedFor;
    private final UUID replica = UUID.randomUUID();

    /** @param claimedFor a replica that stands still or cannot reach the database for so long loses its claim */
    public PgLivenessStore(Session session, Duration claimedFor) {
        this.session = session;
        this.claimedFor = claimedFor;
    }

    /** When this replica does not claim again in time, another one can. */
    public Future<Look> claim() {
        return session.get(
                CLAIM,
                Tuple.of(replica, claimedFor.toMillis()),
                row -> new Look(row.getBoolean("mine"), Objects.requireNonNull(PgValues.instant(row, "at"))));
    }

    /** Heartbeats from the time to come, which only a clock set back explains, count as heard now; at most {@code max} of them. */
    public Future<Void> pullBack(int max) {
        return session.run(PULL_BACK, Tuple.of(max));
    }

    /** Lets another replica work at once. */
    public Future<Void> release() {
        return session.run(RELEASE, Tuple.of(replica));
    }

    /**
     * Takes live workspaces offline whose last heartbeat is older than their limit. At most {@code max} at once, each with its event, and
     * those
     * that the platform runs with a suspicion. Nobody when the look was longer ago than {@link Watch} allows between two: then this process
     * stood still meanwhile.
     */
    public Future<List<Silenced>> takeOffline(Limits limits, Look look, int max) {
        var parameters = Tuple.of(
                millisOrNull(limits.own()),
                millisOrNull(limits.external()),
                PgValues.time(look.at()),
                (double) Watch.GAP_MIN.toMillis(),
                max);
        return session.transaction(connection ->
                connection.query(SILENT, parameters).compose(rows -> takeOffline(connection, rows, look.at())));
    }

    /** Grows whenever the connection to the database was lost. */
    public long losses() {
        return session.losses();
    }

    private static Future<List<Silenced>> takeOffline(Sql connection, RowSet<Row> silent, Instant now) {
        Map<UUID, Row> found = new HashMap<>();
        List<StatusChange> changes = new ArrayList<>();
        for (Row row : silent) {
            var id = row.getUUID("id");
            var status = WorkspaceStatus.ofWire(row.getString("status"));
            found.put(id, row);
            StatusChange.decide(id, status, Trigger.SILENCE, RecordedEvent.of("WORKSPACE_OFFLINE"))
                    .ifPresent(changes::add);
        }
        return PgTransitions.apply(connection, changes, now).compose(changed -> {
            var silenced = changed.stream()
                    .map(change -> new Silenced(change, isProvisioned(found.get(change.workspaceId()))))
                    .toList();
            return suspect(connection, silenced, found).map(silenced);
        });
    }

    private static boolean isProvisioned(@Nullable Row row) {
        return row != null && row.getBoolean("provisioned");
    }

    private static Future<Void> suspect(Sql connection, List<Silenced> silenced, Map<UUID, Row> found) {
        var ours = silenced.stream()
                .filter(Silenced::provisioned)
                .map(one -> found.get(one.workspaceId()))
                .toList();
        return ours.isEmpty()
                ? Future.succeededFuture()
                : connection.run(
                        SUSPECT,
                        Tuple.of(
                                ours.stream().map(row -> row.getUUID("id")).toArray(UUID[]::new),
                                Sql.column(ours, row -> row.getInteger("incarnation"), Integer[]::new),
                                Sql.column(
                                        ours, row -> row.getOffsetDateTime("last_heard_at"), OffsetDateTime[]::new)));
    }

    private static @Nullable Double millisOrNull(@Nullable Duration duration) {
        return duration == null ? null : (double) duration.toMillis();
    }
}
