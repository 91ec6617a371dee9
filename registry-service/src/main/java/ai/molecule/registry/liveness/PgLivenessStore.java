package ai.molecule.registry.liveness;

import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.PgTransitions;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.lifecycle.StatusChange;
import ai.molecule.registry.lifecycle.Trigger;
import ai.molecule.registry.postgres.PgSession;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@link LivenessStore} over a session of its own, whose advisory lock is the claim: it ends with the connection. */
public final class PgLivenessStore implements LivenessStore {

    private static final String CLAIM = "SELECT pg_try_advisory_lock(66532855)";

    /**
     * The heartbeat's row is locked, so that no heartbeat can arrive between this look and the change below; rows in use by
     * others are skipped, so that this waits for nobody and the next sweep looks again.
     */
    private static final String SILENT = """
            SELECT w.id, w.status, w.endpoint_url IS NOT NULL AS provisioned
            FROM workspaces AS w JOIN heartbeats AS h ON h.workspace_id = w.id
            WHERE w.status IN ('online', 'degraded')
              AND CASE WHEN w.runtime = 'external'
                       THEN $2::timestamptz IS NOT NULL AND (coalesce(h.last_heartbeat_at, w.status_since) < $2
                            OR h.last_heartbeat_at > $3)
                       ELSE $1::timestamptz IS NOT NULL AND (coalesce(h.last_heartbeat_at, w.status_since) < $1
                            OR h.last_heartbeat_at > $3)
                  END
            ORDER BY w.id
            LIMIT $4
            FOR NO KEY UPDATE OF w, h SKIP LOCKED
            """;

    private final PgSession session;
    private long claimedAtLoss = -1;

    public PgLivenessStore(PgSession session) {
        this.session = session;
    }

    @Override
    public Future<Boolean> claim() {
        if (claimedAtLoss == session.losses()) {
            return Future.succeededFuture(true);
        }
        return session.with(connection -> connection.query(CLAIM).execute()).map(rows -> {
            boolean mine = rows.iterator().next().getBoolean(0);
            claimedAtLoss = mine ? session.losses() : -1;
            return mine;
        });
    }

    @Override
    public Future<List<Silenced>> takeOffline(Cutoffs cutoffs, Instant future, int max, Instant now) {
        var parameters =
                Tuple.of(timeOrNull(cutoffs.own()), timeOrNull(cutoffs.external()), PgValues.time(future), max);
        return session.withTransaction(connection -> connection
                .preparedQuery(SILENT)
                .execute(parameters)
                .compose(rows -> takeOffline(connection, rows, now)));
    }

    @Override
    public long losses() {
        return session.losses();
    }

    private static Future<List<Silenced>> takeOffline(PgConnection connection, RowSet<Row> silent, Instant now) {
        Map<UUID, Boolean> provisioned = new HashMap<>();
        List<StatusChange> changes = new ArrayList<>();
        for (Row row : silent) {
            var id = row.getUUID("id");
            var status = WorkspaceStatus.ofWire(row.getString("status"));
            provisioned.put(id, row.getBoolean("provisioned"));
            StatusChange.decide(id, status, Trigger.SILENCE, RecordedEvent.of("WORKSPACE_OFFLINE"))
                    .ifPresent(changes::add);
        }
        return PgTransitions.apply(connection, changes, now)
                .map(changed -> changed.stream()
                        .map(change -> silenced(change, provisioned))
                        .toList());
    }

    private static Silenced silenced(Changed change, Map<UUID, Boolean> provisioned) {
        return new Silenced(
                change,
                Optional.ofNullable(provisioned.get(change.workspaceId())).orElse(false));
    }

    private static @Nullable OffsetDateTime timeOrNull(@Nullable Instant instant) {
        return instant == null ? null : PgValues.time(instant);
    }
}
