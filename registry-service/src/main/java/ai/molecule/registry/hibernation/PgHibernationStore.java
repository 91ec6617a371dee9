package ai.molecule.registry.hibernation;

import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.PgTransitions;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.lifecycle.StatusChange;
import ai.molecule.registry.lifecycle.Trigger;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who sleeps and after how long, in {@code workspaces}. Somebody asleep is rows and nothing else.
 *
 * @param platformMinutes what holds where nobody says anything; 0 for never
 */
public record PgHibernationStore(Database database, int platformMinutes) {

    /**
     * Idle for longer than it may be, as far as this service knows.
     *
     * @param since of its last work
     */
    record Idle(UUID id, int minutes, Instant since) {

        boolean stillWith(@Nullable Instant lastAt, Instant now) {
            return lastAt == null || !lastAt.plus(Duration.ofMinutes(minutes)).isAfter(now);
        }
    }

    private static final String POLICY = """
            SELECT hibernation_idle_minutes AS own, idle_minutes(id, $2) AS counts FROM workspaces WHERE id = $1 AND status <> 'removed'
            """;

    /** One row and no condition on what it was: of two racing changes the later counts. */
    private static final String SET_POLICY =
            "UPDATE workspaces SET hibernation_idle_minutes = $2 WHERE id = $1 AND status <> 'removed'";

    /** Locked by id, as whoever changes several does: two could wait for each other. */
    private static final String SET_POLICIES = """
            WITH wanted AS MATERIALIZED (
                SELECT w.id, one.minutes FROM unnest($1::uuid[], $2::integer[]) AS one (id, minutes) JOIN workspaces AS w ON w.id = one.id
                WHERE w.status <> 'removed' ORDER BY w.id FOR NO KEY UPDATE OF w
            )
            UPDATE workspaces SET hibernation_idle_minutes = wanted.minutes FROM wanted WHERE workspaces.id = wanted.id
            """;

    /**
     * Whether this replica is the one that looks, and when it asked.
     *
     * @param at by the database's clock
     */
    record Look(boolean mine, Instant at) {}

    /** By the database's clock; of two that claim at once the second finds the row taken. */
    private static final String CLAIM = """
            WITH claimed AS (
                INSERT INTO claims (job, holder, until) VALUES ('hibernation', $1, clock_timestamp() + $2 * interval '1 millisecond')
                ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, until = excluded.until
                WHERE claims.holder = excluded.holder OR claims.until < clock_timestamp()
                RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM claimed) AS mine, clock_timestamp() AS at
            """;

    private static final String RELEASE = "DELETE FROM claims WHERE job = 'hibernation' AND holder = $1";

    private static final String ANYBODY = """
            SELECT $1 > 0 OR EXISTS (SELECT 1 FROM workspaces WHERE hibernation_idle_minutes > 0)
            """;

    /**
     * Reads only: what it says is asked once more under the row's lock. Nobody may sleep after less than a minute. What counts for whom is
     * found from the top: from each that says something, and with a platform's minutes from each root, down to all below that say
     * nothing; and only where somebody is idle for the least that is said anywhere. Asking each agent for what stands above it
     * ({@code idle_minutes}) took longer than a statement may at 100,000 of them.
     */
    static final String IDLE = """
            WITH RECURSIVE idle AS MATERIALIZED (
                SELECT w.id, greatest(w.status_since, w.last_outbound_at, h.last_busy_at) AS since
                FROM workspaces AS w JOIN heartbeats AS h ON h.workspace_id = w.id
                WHERE w.status IN ('online', 'degraded') AND w.managed AND w.runtime <> 'external' AND w.endpoint_url IS NOT NULL
                  AND NOT h.asleep AND h.active_tasks = 0 AND h.current_task = ''
                  AND greatest(w.status_since, w.last_outbound_at, h.last_busy_at) <= $2::timestamptz - interval '1 minute'
                    * (SELECT least(nullif($1::integer, 0), min(hibernation_idle_minutes)) FROM workspaces WHERE hibernation_idle_minutes > 0)
            ), counts (id, minutes) AS (
                SELECT id, coalesce(hibernation_idle_minutes, $1::integer) FROM workspaces
                WHERE (hibernation_idle_minutes > 0 OR ($1::integer > 0 AND hibernation_idle_minutes IS NULL AND parent_id IS NULL))
                  AND EXISTS (SELECT 1 FROM idle)
                UNION ALL
                SELECT below.id, counts.minutes FROM counts JOIN workspaces AS below ON below.parent_id = counts.id
                WHERE below.hibernation_idle_minutes IS NULL
            )
            SELECT id, minutes, since FROM idle JOIN counts USING (id)
            WHERE since <= $2::timestamptz - minutes * interval '1 minute'
              AND NOT EXISTS (SELECT 1 FROM approvals AS a WHERE a.workspace_id = idle.id AND a.status = 'pending')
            ORDER BY since, id
            LIMIT $3
            """;

    /** An approval of theirs ended since they fell asleep. */
    private static final String ANSWERED = """
            SELECT DISTINCT w.id FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.decided_at >= $1 AND a.status <> 'pending' AND w.status = 'hibernated' AND a.decided_at >= w.status_since
            LIMIT $2
            """;

    /** Held to the end; the heartbeat's row after the workspace's, as everywhere. No heartbeat comes in between. */
    private static final String LOCK = """
            SELECT w.id, w.status, w.managed, w.runtime, w.endpoint_url IS NOT NULL AS provisioned, w.tier,
                h.active_tasks, h.current_task <> '' AS busy,
                (SELECT count(*)::integer FROM approvals AS a WHERE a.workspace_id = w.id AND a.status = 'pending') AS asks
            FROM workspaces AS w JOIN heartbeats AS h ON h.workspace_id = w.id
            WHERE w.id = $1
            FOR NO KEY UPDATE OF w, h
            """;

    /** Runs under both locks. */
    private static final String LIE_DOWN = """
            WITH quiet AS (
                UPDATE heartbeats SET asleep = true, active_tasks = 0, current_task = '' WHERE workspace_id = $1
            )
            UPDATE workspaces SET desired = 'sleeping', url = '', endpoint_url = NULL, endpoint_internal_url = NULL WHERE id = $1
            """;

    Future<Optional<IdlePolicy>> policyOf(UUID workspaceId) {
        return database.find(
                POLICY,
                Tuple.of(workspaceId, platformMinutes),
                row -> new IdlePolicy(row.getInteger("own"), row.getInteger("counts")));
    }

    Future<Optional<IdlePolicy>> setPolicy(UUID workspaceId, @Nullable Integer minutes) {
        return database.run(SET_POLICY, Tuple.of(workspaceId, minutes)).compose(set -> policyOf(workspaceId));
    }

    /** Serves {@link SetIdleMinutes}. */
    public Future<SetIdleMinutes.Done> setPolicies(SetIdleMinutes wanted) {
        var all = wanted.workspaces();
        // Tuple.of would take the elements of the second column for parameters.
        return database.update(
                        SET_POLICIES,
                        Tuple.from(List.of(
                                Sql.column(all, SetIdleMinutes.One::id, UUID[]::new),
                                Sql.column(all, SetIdleMinutes.One::minutes, Integer[]::new))))
                .map(SetIdleMinutes.Done::new);
    }

    /** Claims to be the replica that looks, for so long. */
    Future<Look> claim(UUID replica, Duration time) {
        return database.get(
                CLAIM,
                Tuple.of(replica, (double) time.toMillis()),
                row -> new Look(
                        row.getBoolean("mine"), row.getOffsetDateTime("at").toInstant()));
    }

    Future<Void> release(UUID replica) {
        return database.run(RELEASE, Tuple.of(replica));
    }

    /** Those idle longest first; none, at the cost of one look, where nobody ever sleeps. */
    Future<List<Idle>> idle(Instant now, int max) {
        return database.get(ANYBODY, Tuple.of(platformMinutes), row -> row.getBoolean(0))
                .compose(anybody -> anybody
                        ? database.list(
                                IDLE, Tuple.of(platformMinutes, PgValues.time(now), max), PgHibernationStore::toIdle)
                        : Future.succeededFuture(List.of()));
    }

    /** Sleepers that a person answered since then. */
    Future<List<UUID>> answered(Instant since, int max) {
        return database.list(ANSWERED, Tuple.of(PgValues.time(since), max), row -> row.getUUID("id"));
    }

    /**
     * Puts one to sleep, told by WORKSPACE_HIBERNATED, in one transaction. Fails as {@link Sleeper#refusal} says.
     *
     * @param force whatever it is at
     */
    Future<Changed> sleep(UUID workspaceId, boolean force, Instant now) {
        return database.transaction(transaction -> transaction
                .find(LOCK, Tuple.of(workspaceId), PgHibernationStore::toSleeper)
                .compose(found -> {
                    var sleeper = found.orElseThrow(Sleeper::notThere);
                    sleeper.refusal(force).ifPresent(refusal -> {
                        throw refusal;
                    });
                    return lieDown(transaction, sleeper, now);
                }));
    }

    private static Future<Changed> lieDown(Sql transaction, Sleeper sleeper, Instant now) {
        var told = new RecordedEvent("WORKSPACE_HIBERNATED", Json.object().put("tier", sleeper.tier()));
        var change = StatusChange.decide(sleeper.id(), sleeper.status(), Trigger.IDLENESS, told)
                .orElseThrow(Sleeper::notThere);
        return transaction
                .query(LIE_DOWN, Tuple.of(sleeper.id()))
                .compose(down -> PgTransitions.apply(transaction, List.of(change), now))
                .map(List::getFirst);
    }

    private static Idle toIdle(Row row) {
        return new Idle(
                row.getUUID("id"),
                row.getInteger("minutes"),
                row.getOffsetDateTime("since").toInstant());
    }

    private static Sleeper toSleeper(Row row) {
        return new Sleeper(
                row.getUUID("id"),
                WorkspaceStatus.ofWire(row.getString("status")),
                row.getBoolean("managed"),
                row.getString("runtime"),
                row.getBoolean("provisioned"),
                row.getInteger("tier"),
                row.getInteger("active_tasks"),
                row.getBoolean("busy"),
                row.getInteger("asks"));
    }
}
