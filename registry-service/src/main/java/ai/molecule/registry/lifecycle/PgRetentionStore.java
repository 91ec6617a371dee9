package ai.molecule.registry.lifecycle;

import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Deletes what was over long ago, in {@code workspaces} and {@code approvals}. Several replicas may do it at once: each takes other rows. */
public record PgRetentionStore(Database database) {

    /**
     * Of a branch those below first. Nothing can be put below a removed workspace, and its row is locked. One of which an approval is kept
     * stays as long as that, for whom it names.
     */
    private static final String PURGE_REMOVED = """
            WITH gone AS MATERIALIZED (
                SELECT w.id FROM workspaces AS w
                WHERE w.status = 'removed' AND w.status_since < $1
                  AND NOT EXISTS (SELECT 1 FROM workspaces AS child WHERE child.parent_id = w.id)
                  AND NOT EXISTS (SELECT 1 FROM approvals AS a WHERE a.workspace_id = w.id)
                ORDER BY w.status_since, w.id LIMIT $2
                FOR UPDATE OF w SKIP LOCKED
            )
            DELETE FROM workspaces USING gone WHERE workspaces.id = gone.id RETURNING workspaces.id
            """;

    private static final String DELETE_APPROVALS = """
            WITH gone AS MATERIALIZED (
                SELECT id FROM approvals
                WHERE status <> 'pending' AND created_at < $1 AND coalesce(decided_at, expires_at) < $1
                LIMIT $2 FOR UPDATE SKIP LOCKED
            )
            DELETE FROM approvals USING gone WHERE approvals.id = gone.id
            """;

    /** Who that was, with every row that belongs to it. */
    Future<List<UUID>> purgeRemoved(Instant before, int max) {
        return database.list(PURGE_REMOVED, Tuple.of(PgValues.time(before), max), row -> row.getUUID(0));
    }

    /** How many. */
    Future<Integer> deleteApprovals(Instant before, int max) {
        return database.update(DELETE_APPROVALS, Tuple.of(PgValues.time(before), max));
    }
}
