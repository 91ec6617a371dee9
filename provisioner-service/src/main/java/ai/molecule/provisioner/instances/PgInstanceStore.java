package ai.molecule.provisioner.instances;

import static java.time.ZoneOffset.UTC;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.Sql;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.instances.Instance.State;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** {@link InstanceStore} on the table {@code instances} (db/provisioner). Writers hold the workspace's lock. */
public final class PgInstanceStore implements InstanceStore {

    private static final String COLUMNS = """
            SELECT workspace_id, incarnation, state, process_id, process_started_at, port, attempts, deaths, restart_at, last_exit, updated_at,
                   first_tried_at, last_reason
            FROM instances
            """;

    private static final String FIND = COLUMNS + "WHERE workspace_id = $1";

    private static final String LIST = COLUMNS + "ORDER BY workspace_id LIMIT $1";

    private static final String PORTS_OF_OTHERS =
            "SELECT port FROM instances WHERE port IS NOT NULL AND workspace_id <> $1";

    /** The UNIQUE port decides between two workspaces that chose the same one. */
    private static final String STARTING = """
            INSERT INTO instances (workspace_id, incarnation, state, port, updated_at, first_tried_at)
            VALUES ($1, $2, 'starting', $3, $4, $4)
            ON CONFLICT (workspace_id) DO UPDATE SET
                incarnation = excluded.incarnation, state = 'starting', process_id = NULL, process_started_at = NULL,
                port = excluded.port, restart_at = NULL, updated_at = excluded.updated_at,
                attempts = CASE WHEN instances.state IN ('stopped', 'failed') THEN 0 ELSE instances.attempts END,
                deaths = CASE WHEN instances.state IN ('stopped', 'failed') THEN '{}' ELSE instances.deaths END,
                first_tried_at = CASE WHEN instances.state = 'starting' AND instances.incarnation = excluded.incarnation
                    THEN instances.first_tried_at ELSE excluded.first_tried_at END,
                last_reason = CASE WHEN instances.state = 'starting' AND instances.incarnation = excluded.incarnation
                    THEN instances.last_reason END
            """;

    private static final String DELAYED =
            "UPDATE instances SET last_reason = $2 WHERE workspace_id = $1 AND state = 'starting'";

    private static final String RUNNING = """
            UPDATE instances SET state = 'running', process_id = $2, process_started_at = $3, updated_at = $4
            WHERE workspace_id = $1
            """;

    private static final String EXITED = """
            UPDATE instances SET
                state = 'exited', process_id = NULL, process_started_at = NULL, attempts = $2, deaths = $3, restart_at = $4,
                last_exit = $5, updated_at = $6
            WHERE workspace_id = $1
            """;

    private static final String STOPPED = """
            UPDATE instances SET state = 'stopped', process_id = NULL, process_started_at = NULL, restart_at = NULL, updated_at = $2
            WHERE workspace_id = $1
            """;

    private static final String FAILED = """
            INSERT INTO instances (workspace_id, incarnation, state, last_exit, updated_at)
            VALUES ($1, $2, 'failed', $3, $4)
            ON CONFLICT (workspace_id) DO UPDATE SET
                incarnation = excluded.incarnation, state = 'failed', process_id = NULL, process_started_at = NULL,
                restart_at = NULL, last_exit = excluded.last_exit, updated_at = excluded.updated_at
            """;

    /** A record that came in between knows better. */
    private static final String LEFT_BEHIND = """
            INSERT INTO instances (workspace_id, incarnation, state, updated_at) VALUES ($1, 0, 'stopped', $2)
            ON CONFLICT (workspace_id) DO NOTHING
            """;

    private static final String DELETE = "DELETE FROM instances WHERE workspace_id = $1";

    private final Sql sql;
    private final PgLockSession locks;
    private final BooleanSupplier mayAct;

    public PgInstanceStore(Pool pool) {
        this(pool, () -> true);
    }

    /** @param mayAct whether workspaces may be locked, and so agents started and ended, from here */
    public PgInstanceStore(Pool pool, BooleanSupplier mayAct) {
        this.mayAct = mayAct;
        this.sql = Sql.of(pool);
        this.locks = new PgLockSession(pool::getConnection);
    }

    @Override
    public Future<Optional<Lock>> tryLock(UUID workspaceId) {
        return mayAct.getAsBoolean() ? locks.tryLock(workspaceId) : Future.succeededFuture(Optional.empty());
    }

    @Override
    public Future<Optional<Instance>> find(UUID workspaceId) {
        return sql.find(FIND, Tuple.of(workspaceId), PgInstanceStore::toInstance);
    }

    @Override
    public Future<List<Instance>> list(int limit) {
        return sql.list(LIST, Tuple.of(limit), PgInstanceStore::toInstance);
    }

    @Override
    public Future<Set<Integer>> portsOfOthers(UUID workspaceId) {
        return sql.list(PORTS_OF_OTHERS, Tuple.of(workspaceId), row -> row.getInteger("port"))
                .map(HashSet::new);
    }

    @Override
    public Future<Boolean> starting(UUID workspaceId, int incarnation, int port, Instant now) {
        return sql.run(STARTING, Tuple.of(workspaceId, incarnation, port, at(now)))
                .map(true)
                .recover(failure -> Postgres.isUniqueViolation(failure)
                        ? Future.succeededFuture(false)
                        : Future.failedFuture(failure));
    }

    @Override
    public Future<Void> delayed(UUID workspaceId, String reason) {
        return sql.run(DELAYED, Tuple.of(workspaceId, reason));
    }

    @Override
    public Future<Void> running(UUID workspaceId, AgentProcess process, Instant now) {
        return sql.run(RUNNING, Tuple.of(workspaceId, process.id(), at(process.startedAt()), at(now)));
    }

    @Override
    public Future<Void> exited(
            UUID workspaceId, int attempts, List<Instant> deaths, Instant restartAt, String lastExit, Instant now) {
        var times = deaths.stream().map(PgInstanceStore::at).toArray(OffsetDateTime[]::new);
        return sql.run(EXITED, Tuple.of(workspaceId, attempts, times, at(restartAt), lastExit, at(now)));
    }

    @Override
    public Future<Void> stopped(UUID workspaceId, Instant now) {
        return sql.run(STOPPED, Tuple.of(workspaceId, at(now)));
    }

    @Override
    public Future<Void> failed(UUID workspaceId, int incarnation, String lastExit, Instant now) {
        return sql.run(FAILED, Tuple.of(workspaceId, incarnation, lastExit, at(now)));
    }

    @Override
    public Future<Void> leftBehind(UUID workspaceId, Instant now) {
        return sql.run(LEFT_BEHIND, Tuple.of(workspaceId, at(now)));
    }

    @Override
    public Future<Void> delete(UUID workspaceId) {
        return sql.run(DELETE, Tuple.of(workspaceId));
    }

    private static Instance toInstance(Row row) {
        var processId = row.getString("process_id");
        var startedAt = instant(row.getOffsetDateTime("process_started_at"));
        return new Instance(
                row.getUUID("workspace_id"),
                row.getInteger("incarnation"),
                State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                processId == null || startedAt == null ? null : new AgentProcess(processId, startedAt),
                row.getInteger("port"),
                row.getInteger("attempts"),
                Arrays.stream(row.getArrayOfOffsetDateTimes("deaths"))
                        .map(OffsetDateTime::toInstant)
                        .toList(),
                instant(row.getOffsetDateTime("restart_at")),
                row.getString("last_exit"),
                row.getOffsetDateTime("updated_at").toInstant(),
                instant(row.getOffsetDateTime("first_tried_at")),
                row.getString("last_reason"));
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(UTC);
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
