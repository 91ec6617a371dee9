package ai.molecule.registry.secrets;

import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.UUID;

/** When secrets were last read, in {@code workspace_secrets} and {@code global_secrets}. */
public record PgSecretReads(Database database) {

    /** Waits for nobody, so that it is in nobody's way: rows being changed just now are left out. */
    private static final String NOTE_READS = """
            WITH free AS (
                SELECT secret.workspace_id, secret.key, read.at
                FROM unnest($1::uuid[], $2::timestamptz[]) AS read (workspace_id, at)
                JOIN workspace_secrets AS secret ON secret.workspace_id = read.workspace_id
                FOR NO KEY UPDATE OF secret SKIP LOCKED
            )
            UPDATE workspace_secrets AS secret SET last_read_at = greatest(secret.last_read_at, free.at)
            FROM free WHERE free.workspace_id = secret.workspace_id AND free.key = secret.key
            """;

    private static final String NOTE_GLOBAL_READS = """
            WITH free AS (
                SELECT secret.key, read.at
                FROM unnest($1::text[], $2::timestamptz[]) AS read (key, at)
                JOIN global_secrets AS secret ON secret.key = read.key
                FOR NO KEY UPDATE OF secret SKIP LOCKED
            )
            UPDATE global_secrets AS secret SET last_read_at = greatest(secret.last_read_at, free.at)
            FROM free WHERE free.key = secret.key
            """;

    /** Notes who read their own values, and which global ones were read; those being changed just now are left out. */
    Future<Void> note(Map<UUID, Instant> workspaces, Map<String, Instant> globalKeys) {
        var own = workspaces.isEmpty()
                ? Future.succeededFuture()
                : database.query(NOTE_READS, Tuple.of(workspaces.keySet().toArray(UUID[]::new), times(workspaces)));
        var global = globalKeys.isEmpty()
                ? Future.succeededFuture()
                : database.query(
                        NOTE_GLOBAL_READS, Tuple.of(globalKeys.keySet().toArray(String[]::new), times(globalKeys)));
        return Future.join(own, global).mapEmpty();
    }

    /** As one value: a second argument that is an array would be taken for many. */
    private static Object times(Map<?, Instant> reads) {
        return reads.values().stream().map(PgValues::time).toArray(OffsetDateTime[]::new);
    }
}
