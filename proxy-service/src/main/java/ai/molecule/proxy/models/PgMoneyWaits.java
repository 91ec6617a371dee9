package ai.molecule.proxy.models;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;

/**
 * Tasks that rest because a budget does not pay their calls, in {@code waits}: so clocks above them stand still, as while a person is asked,
 * which it comes to. Nobody says when there is money again: an agent that rests asks every 25 s at most, and is not refused then.
 */
final class PgMoneyWaits {

    /** One question may be lost. */
    private static final Duration UNTIL = Duration.ofSeconds(60);

    /** Of one workspace, at one time. */
    private static final int TASKS_MAX = 64;

    /** The delegation that the call names, and whatever runs there in its trace. */
    private static final String REFUSED = """
            INSERT INTO waits (workspace_id, task_id, cause, until)
            SELECT $1, task, 'money', now() + $4::bigint * interval '1 ms' FROM (
                SELECT delegation_id AS task FROM delegations
                WHERE delegation_id = $2 AND target_id = $1 AND status NOT IN ('completed', 'failed')
                UNION SELECT coalesce(message_id, task_id) FROM tasks
                WHERE workspace_id = $1 AND ended_at IS NULL AND trace = $3 AND coalesce(message_id, task_id) IS NOT NULL
                ORDER BY 1 LIMIT $5
            ) AS resting
            ON CONFLICT (workspace_id, task_id, cause) DO UPDATE SET until = excluded.until
            """;

    private final Pool pool;

    PgMoneyWaits(Pool pool) {
        this.pool = pool;
    }

    Future<?> refused(PlannedCall call) {
        return pool.preparedQuery(REFUSED)
                .execute(Tuple.of(call.workspaceId(), call.context(), call.traceId(), UNTIL.toMillis(), TASKS_MAX));
    }
}
