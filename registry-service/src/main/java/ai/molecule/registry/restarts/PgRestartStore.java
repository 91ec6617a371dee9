package ai.molecule.registry.restarts;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Requests for restarts, in {@code restart_requests}. */
public record PgRestartStore(Database database) {

    /** Held until the request is stored: it names the start that this row tells of. */
    private static final String LOCK_WORKSPACE = "SELECT id FROM workspaces WHERE id = $1 FOR NO KEY UPDATE";

    /** How long a request that was taken is left alone, and how long a restart that goes on counts as under way. */
    private static final Duration TAKEN_FOR = Duration.ofSeconds(30);

    private static final String ANY_DUE = "SELECT EXISTS (SELECT 1 FROM restart_requests WHERE due_at <= $1)";

    /** Held to the end by one at a time: the number under way holds until the next are taken. */
    private static final String LOCK = "SELECT pg_try_advisory_xact_lock(66532856)";

    /** Done when a newer start has left provisioning. A request renewed meanwhile is no longer due, and is left alone. */
    private static final String FORGET_VOID = """
            DELETE FROM restart_requests AS request
            WHERE due_at <= $1 AND NOT EXISTS (
                SELECT 1 FROM workspaces AS workspace
                WHERE workspace.id = request.workspace_id
                  AND (workspace.incarnation = request.incarnation OR workspace.status = 'provisioning') AND
            """ + PgRestartRequests.RESTARTABLE + ")";

    /** Under the lock. A request renewed meanwhile is no longer due, and is left alone. */
    private static final String TAKE = """
            WITH due AS (
                (SELECT workspace_id FROM restart_requests
                 WHERE NOT fan_out AND due_at <= $1 AND (taken_at IS NULL OR taken_at <= $2)
                 ORDER BY due_at, workspace_id LIMIT 20)
                UNION ALL
                (SELECT workspace_id FROM restart_requests
                 WHERE fan_out AND due_at <= $1 AND (taken_at IS NULL OR taken_at <= $2)
                 ORDER BY taken_at NULLS FIRST, due_at, workspace_id
                 LIMIT greatest(0, 3 - (SELECT count(*) FROM restart_requests WHERE fan_out AND taken_at > $2)))
            )
            UPDATE restart_requests SET taken_at = $1
            WHERE workspace_id IN (SELECT workspace_id FROM due) AND due_at <= $1
            RETURNING workspace_id, incarnation, fan_out
            """;

    private static final String FORGET = "DELETE FROM restart_requests WHERE workspace_id = $1 AND incarnation = $2";

    /** Stores a request; false for a workspace that is not restarted, such as an external or a paused one. */
    public Future<Boolean> ask(UUID workspaceId, Instant now) {
        return database.transaction(transaction -> transaction
                .query(LOCK_WORKSPACE, Tuple.of(workspaceId))
                .compose(locked -> PgRestartRequests.ask(transaction, workspaceId, now)));
    }

    /**
     * The requests to be carried out now, by whoever asked first, who has them to itself for a while; of those that fan out no
     * more than leave three under way. Forgets what no longer applies.
     */
    public Future<List<RestartRequest>> take(Instant now) {
        return database.get(ANY_DUE, Tuple.of(PgValues.time(now)), row -> row.getBoolean(0))
                .compose(due -> due
                        ? database.transaction(transaction -> lockAndTake(transaction, now))
                        : Future.succeededFuture(List.of()));
    }

    /** It is done, or pointless; one made for a newer start stays. */
    public Future<Void> forget(RestartRequest request) {
        return database.run(FORGET, Tuple.of(request.workspaceId(), request.incarnation()));
    }

    private static Future<List<RestartRequest>> lockAndTake(Sql transaction, Instant now) {
        return transaction
                .get(LOCK, Tuple.tuple(), row -> row.getBoolean(0))
                .compose(mine -> mine
                        ? transaction
                                .query(FORGET_VOID, Tuple.of(PgValues.time(now)))
                                .compose(forgotten -> transaction.list(
                                        TAKE,
                                        Tuple.of(PgValues.time(now), PgValues.time(now.minus(TAKEN_FOR))),
                                        row -> new RestartRequest(
                                                row.getUUID("workspace_id"),
                                                row.getInteger("incarnation"),
                                                row.getBoolean("fan_out"))))
                        : Future.succeededFuture(List.of()));
    }
}
