package ai.molecule.registry.liveness;

import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.registry.MovableClock;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Workspaces on a fresh database, whose heartbeats and clock, that of the database too, a test makes by hand. */
public final class SilentOrganisation {

    public final MovableClock clock = new MovableClock();
    public final ServiceContext service;

    public SilentOrganisation(Vertx vertx) {
        service = ServiceContext.open(vertx, TestConfig.platform(), "registry").await();
        sql("CREATE TABLE told_moment AS SELECT $1::timestamptz AS at", now());
        sql(
                "CREATE OR REPLACE FUNCTION moment() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM told_moment'");
    }

    /** The time by which agents are judged moves on. */
    public void advance(Duration by) {
        clock.advance(by);
        sql("UPDATE told_moment SET at = $1", now());
    }

    private OffsetDateTime now() {
        return clock.instant().atOffset(ZoneOffset.UTC);
    }

    public UUID workspace(String status, String runtime, @Nullable String endpoint) {
        var id = UUID.randomUUID();
        var now = clock.instant().atOffset(ZoneOffset.UTC);
        service.pool()
                .preparedQuery("""
                        WITH created AS (
                            INSERT INTO workspaces (id, name, tier, runtime, managed, awareness_namespace, status,
                                status_since, created_at, updated_at, endpoint_url)
                            VALUES ($1, 'w', 1, $2, true, '', $3, $4, $4, $4, $5) RETURNING id
                        )
                        INSERT INTO heartbeats (workspace_id, last_heartbeat_at) SELECT id, $4 FROM created
                        """)
                .execute(Tuple.of(id, runtime, status, now, endpoint))
                .await();
        return id;
    }

    public void beat(UUID id) {
        service.pool()
                .preparedQuery("UPDATE heartbeats SET last_heartbeat_at = $2 WHERE workspace_id = $1")
                .execute(Tuple.of(id, clock.instant().atOffset(ZoneOffset.UTC)))
                .await();
    }

    public String status(UUID id) {
        return service.pool()
                .preparedQuery("SELECT status FROM workspaces WHERE id = $1")
                .execute(Tuple.of(id))
                .await()
                .iterator()
                .next()
                .getString(0);
    }

    public List<String> events(UUID id) {
        return service
                .pool()
                .preparedQuery(
                        "SELECT event_type || ' ' || (payload->>'status') FROM log.events WHERE workspace_id = $1 ORDER BY id")
                .execute(Tuple.of(id))
                .await()
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    public List<UUID> suspected() {
        return service.pool().query("SELECT workspace_id FROM suspicions").execute().await().stream()
                .map(row -> row.getUUID(0))
                .toList();
    }

    /** As the sweep leaves one that fell silent {@code ago}. */
    public void suspect(UUID id, Duration ago) {
        var now = clock.instant().atOffset(ZoneOffset.UTC);
        sql("UPDATE workspaces SET status = 'offline' WHERE id = $1", id);
        sql(
                "INSERT INTO suspicions (workspace_id, incarnation, last_heard_at, due_at) VALUES ($1, 1, $2, $3)",
                id,
                now.minus(ago),
                now);
    }

    public RowSet<Row> sql(String statement, Object... parameters) {
        return service.pool()
                .preparedQuery(statement)
                .execute(Tuple.from(parameters))
                .await();
    }
}
