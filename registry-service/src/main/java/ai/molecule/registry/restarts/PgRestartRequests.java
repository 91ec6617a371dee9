package ai.molecule.registry.restarts;

import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Asks for restarts within the transaction of the change that calls for them. */
public final class PgRestartRequests {

    /** Changes that follow each other by less than this are known after one restart. */
    static final Duration QUIET = Duration.ofSeconds(2);

    /**
     * Whose agent we start. One that is registered by hand has a URL of its own and no endpoint of ours; one that is paused, or
     * could not start for want of a secret, has neither.
     */
    static final String RESTARTABLE = """
            (workspace.managed AND workspace.runtime <> 'external' AND workspace.desired = 'running'
             AND workspace.status NOT IN ('removed', 'paused', 'hibernated', 'awaiting_agent')
             AND (workspace.endpoint_url IS NOT NULL OR workspace.url = ''))
            """;

    /** Whom a change concerns. */
    public enum Whom {
        ALL,
        /** Not agents whose present start asks for other values of secrets by itself. */
        ALL_BUT_FOLLOWERS,
        /** Only agents that have trouble, which the old value may have caused. All others restart for nothing. */
        TROUBLED
    }

    /** One that has trouble restarts in any case: what it needs may be just that. */
    private static final String CONCERNS = """
            (%1$s = 'ALL' OR workspace.status IN ('degraded', 'failed') OR %1$s = 'ALL_BUT_FOLLOWERS' AND NOT
             EXISTS (SELECT 1 FROM secret_holders AS holder
                     WHERE holder.workspace_id = workspace.id AND holder.follower = workspace.incarnation))""";

    /**
     * A request that waits is put off, but not for more than 30 s in all; one that was carried out already is made anew. One
     * workspace's own change does not wait behind a fan-out.
     */
    private static final String MERGE = """
            ON CONFLICT (workspace_id) DO UPDATE
            SET incarnation = excluded.incarnation, taken_at = NULL,
                fan_out = request.fan_out AND excluded.fan_out,
                asked_at = CASE WHEN request.taken_at IS NULL THEN request.asked_at ELSE excluded.asked_at END,
                due_at = CASE WHEN request.taken_at IS NULL
                              THEN least(excluded.due_at, request.asked_at + interval '30 seconds')
                              ELSE excluded.due_at END
            """;

    /** The caller holds the workspace's row: its incarnation is that of the last start before the change. */
    private static final String ASK = """
            INSERT INTO restart_requests AS request (workspace_id, incarnation, fan_out, asked_at, due_at)
            SELECT id, incarnation, false, $2, $3 FROM workspaces AS workspace WHERE id = $1 AND %s AND
            """.formatted(CONCERNS.formatted("$4")) + RESTARTABLE + MERGE;

    /** Rows are locked in id order and to the end, for the same reason; requests are written in the same order. */
    private static final String ASK_ALL = """
            WITH RECURSIVE reached (id) AS (
                SELECT unnest($4::uuid[])
                UNION
                SELECT below.id FROM workspaces AS below JOIN reached ON below.parent_id = reached.id
            ), affected AS MATERIALIZED (
                SELECT id, incarnation FROM workspaces AS workspace
                WHERE NOT EXISTS (SELECT 1 FROM workspace_secrets AS own
                                  WHERE own.workspace_id = workspace.id AND own.key = $1)
                  AND ($4::uuid[] IS NULL OR workspace.id IN (SELECT id FROM reached)) AND %s AND
            """.formatted(CONCERNS.formatted("$5")) + RESTARTABLE + """
                ORDER BY id FOR NO KEY UPDATE
            )
            INSERT INTO restart_requests AS request (workspace_id, incarnation, fan_out, asked_at, due_at)
            SELECT id, incarnation, true, $2, $3 FROM affected ORDER BY id
            """ + MERGE;

    private PgRestartRequests() {}

    /** To be called with the workspace's row locked. False, and nothing is asked, for one whose agent we do not run, or not now. */
    public static Future<Boolean> ask(Sql transaction, UUID workspaceId, Instant now) {
        return ask(transaction, workspaceId, Whom.ALL, now);
    }

    /** The same, where the change concerns it. */
    public static Future<Boolean> ask(Sql transaction, UUID workspaceId, Whom whom, Instant now) {
        return transaction.changes(
                ASK, Tuple.of(workspaceId, PgValues.time(now), PgValues.time(now.plus(QUIET)), whom.name()));
    }

    /**
     * For all that have no value of their own for {@code key}.
     *
     * @param branches only these workspaces and those below them; null for all
     */
    public static Future<Void> askAllWithout(
            Sql transaction, String key, @Nullable List<UUID> branches, Whom whom, Instant now) {
        return transaction.run(
                ASK_ALL,
                Tuple.of(
                        key,
                        PgValues.time(now),
                        PgValues.time(now.plus(QUIET)),
                        branches == null ? null : branches.toArray(UUID[]::new),
                        whom.name()));
    }
}
