package ai.molecule.proxy.tasks;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.UUID;

/** How long tasks and works are kept, and what becomes of those that nobody ends (db/proxy/V017__tasks.sql). */
final class PgTaskKeeping {

    /**
     * What nobody will end: another may still learn how it ended, and an end that comes later counts. A work ends with the message that it
     * began with.
     */
    private static final String END = """
            WITH lost AS (UPDATE tasks SET status = 'unknown', ended_at = now()
            WHERE id IN (SELECT id FROM tasks AS t
                WHERE ended_at IS NULL AND status = 'running' AND %s
                  AND NOT EXISTS (SELECT 1 FROM released_calls AS r WHERE r.id = t.id)
                  AND NOT EXISTS (SELECT 1 FROM streams AS s WHERE s.id = t.id AND s.ended_at IS NULL)
                  AND NOT EXISTS (SELECT 1 FROM delegations AS d WHERE d.target_id = t.workspace_id
                    AND d.delegation_id = t.message_id AND d.status NOT IN ('completed', 'failed'))
                  AND NOT EXISTS (SELECT 1 FROM a2a_queue AS q WHERE q.id = t.id AND q.status IN ('queued', 'dispatched'))
                LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id, ended_at)
            UPDATE works AS w SET status = 'failed', ended_at = lost.ended_at FROM lost WHERE w.root_task = lost.id AND w.ended_at IS NULL
            """;

    /** Of proxies that are gone: after an outage those that live look as if they were, until they had the time to say that they do. */
    private static final String LOST = END.formatted("""
            now() < $3::timestamptz
                  AND NOT EXISTS (SELECT 1 FROM proxies WHERE proxies.id = t.owner AND seen_at > now() - $1::bigint * interval '1 ms')""");

    /** Of this proxy, whose note of an end was lost. */
    private static final String FORGOTTEN = END.formatted(
            "owner = $3 AND started_at < now() - $1::bigint * interval '1 ms' AND id <> ALL ($4::uuid[])");

    /** One that never ends, because its agent asked and nobody answered, is forgotten with the wait. */
    private static final String PRUNE_TASKS = """
            DELETE FROM tasks WHERE id IN (SELECT id FROM tasks
                WHERE work_id IS NULL AND started_at < now() - $1::bigint * interval '1 ms'
                  AND (ended_at IS NOT NULL OR started_at < now() - interval '366 days')
                ORDER BY started_at LIMIT $2 FOR UPDATE SKIP LOCKED)
            """;

    /**
     * With its tasks, in which its words are. One that never ended is as old as its begin, and none is older than that. Its delegations are
     * from then on those of no run, and go by their own age.
     */
    private static final String PRUNE_WORKS = """
            WITH old AS MATERIALIZED (
                SELECT id FROM works WHERE created_at < now() - $1::bigint * interval '1 ms'
                    AND (ended_at IS NULL OR ended_at < now() - $1::bigint * interval '1 ms')
                ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
            ), tasks_of_it AS (
                DELETE FROM tasks WHERE work_id IN (SELECT id FROM old)
            ), delegations_of_it AS (
                UPDATE delegations SET work_id = NULL WHERE work_id IN (SELECT id FROM old)
            )
            DELETE FROM works WHERE id IN (SELECT id FROM old)
            """;

    private final Pool pool;

    PgTaskKeeping(Pool pool) {
        this.pool = pool;
    }

    /**
     * Ends tasks of proxies that have not been seen for so long.
     *
     * @param until none when the database's clock is at that already
     */
    Future<Integer> lost(Duration unseen, Instant until, int max) {
        return changed(LOST, Tuple.of(unseen.toMillis(), max, until.atOffset(ZoneOffset.UTC)));
    }

    /** Ends tasks that {@code owner} began so long ago and knows nothing of any more, though it lives. */
    Future<Integer> forgotten(UUID owner, Set<UUID> underWay, Duration old, int max) {
        return changed(FORGOTTEN, Tuple.of(old.toMillis(), max, owner, underWay.toArray(UUID[]::new)));
    }

    Future<Integer> pruneWorks(Duration age, int max) {
        return changed(PRUNE_WORKS, Tuple.of(age.toMillis(), max));
    }

    /** Those of no work. */
    Future<Integer> pruneTasks(Duration age, int max) {
        return changed(PRUNE_TASKS, Tuple.of(age.toMillis(), max));
    }

    private Future<Integer> changed(String statement, Tuple parameters) {
        return pool.preparedQuery(statement).execute(parameters).map(rows -> rows.rowCount());
    }
}
