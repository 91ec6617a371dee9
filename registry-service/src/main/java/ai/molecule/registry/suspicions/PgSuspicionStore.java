package ai.molecule.registry.suspicions;

import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Suspicions, in {@code suspicions}. Suspicions begin in the transaction that takes an agent offline. */
public record PgSuspicionStore(Database database) {

    /**
     * What is known at a moment of the database's clock.
     *
     * @param othersHeard whether anybody at all was heard lately
     */
    public record Due(Instant now, boolean othersHeard, List<Suspicion> suspicions) {}

    /** Further ahead than anything is ever due: only a clock set back explains it. */
    private static final Duration AHEAD_MAX = Suspicion.SILENCE_MAX.plusMinutes(1);

    /**
     * Workspaces are locked before their suspicions, as the sweep does it, and those in use are skipped: no suspicion that the
     * sweep is just renewing is taken for an old one.
     */
    private static final String FORGET = """
            DELETE FROM suspicions WHERE workspace_id IN (
                SELECT workspace.id FROM workspaces AS workspace JOIN suspicions ON workspace_id = workspace.id
                WHERE workspace.status <> 'offline' OR workspace.desired <> 'running'
                    OR workspace.incarnation <> suspicions.incarnation OR workspace.endpoint_url IS NULL
                ORDER BY workspace.id
                FOR NO KEY UPDATE OF workspace SKIP LOCKED
            )
            """;

    /** Who is asked about has not been heard lately, so any heartbeat there is comes from somebody else. */
    private static final String NOW = """
            SELECT moment() AS now, EXISTS (
                SELECT 1 FROM heartbeats WHERE last_heartbeat_at > moment() - $1 * interval '1 millisecond'
            ) AS others_heard
            """;

    private static final String DUE = """
            SELECT suspicion.*, workspace.endpoint_url
            FROM suspicions AS suspicion JOIN workspaces AS workspace ON workspace.id = suspicion.workspace_id
            WHERE (due_at <= $1 OR due_at > $2) AND workspace.status = 'offline' AND workspace.desired = 'running'
                AND workspace.incarnation = suspicion.incarnation AND workspace.endpoint_url IS NOT NULL
            ORDER BY due_at
            LIMIT $3
            """;

    /** What was learned about an earlier silence does not count for a new one. */
    private static final String KEEP = """
            UPDATE suspicions SET unanswered = $3, answered = $4, due_at = $5
            WHERE workspace_id = $1 AND incarnation = $2 AND last_heard_at = $6
            """;

    /** Forgets those who were heard again, replaced, paused or removed, or whose status changed otherwise. */
    public Future<Void> forgetCleared() {
        return database.run(FORGET);
    }

    /**
     * Those to look at now, the longest due first.
     *
     * @param lately how far back {@link Due#othersHeard} looks
     */
    public Future<Due> due(Duration lately, int max) {
        return database.get(NOW, Tuple.of((double) lately.toMillis()), row -> row)
                .compose(row ->
                        due(Objects.requireNonNull(PgValues.instant(row, "now")), row.getBoolean("others_heard"), max));
    }

    private Future<Due> due(Instant now, boolean othersHeard, int max) {
        return database.list(
                        DUE,
                        Tuple.of(PgValues.time(now), PgValues.time(now.plus(AHEAD_MAX)), max),
                        PgSuspicionStore::toSuspicion)
                .map(suspicions -> new Due(now, othersHeard, suspicions));
    }

    /** Keeps what was learned, unless the suspicion is gone or about another silence by now. */
    public Future<Void> keep(Suspicion suspicion, Instant dueAt) {
        return database.run(
                KEEP,
                Tuple.of(
                        suspicion.workspaceId(),
                        suspicion.incarnation(),
                        suspicion.unanswered(),
                        suspicion.answered(),
                        PgValues.time(dueAt),
                        PgValues.time(suspicion.lastHeardAt())));
    }

    private static Suspicion toSuspicion(Row row) {
        return new Suspicion(
                row.getUUID("workspace_id"),
                row.getInteger("incarnation"),
                row.getString("endpoint_url"),
                Objects.requireNonNull(PgValues.instant(row, "last_heard_at")),
                row.getInteger("unanswered"),
                row.getBoolean("answered"));
    }
}
