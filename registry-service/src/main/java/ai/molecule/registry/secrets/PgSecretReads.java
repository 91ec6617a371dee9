package ai.molecule.registry.secrets;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

/** When secrets were last handed out, in {@code workspace_secrets} and {@code global_secrets}: at most one write a minute and secret. */
public record PgSecretReads(Database database) {

    /** Waits for nobody, so that it is in nobody's way: rows being changed just now are left out. */
    private static final String NOTE_READS = """
            WITH free AS (
                SELECT secret.workspace_id, secret.key, read.at
                FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS read (workspace_id, key, at)
                JOIN workspace_secrets AS secret ON secret.workspace_id = read.workspace_id AND secret.key = read.key
                WHERE secret.last_read_at IS NULL OR secret.last_read_at <= read.at - interval '1 minute'
                FOR NO KEY UPDATE OF secret SKIP LOCKED
            )
            UPDATE workspace_secrets AS secret SET last_read_at = free.at
            FROM free WHERE free.workspace_id = secret.workspace_id AND free.key = secret.key
            """;

    private static final String NOTE_GLOBAL_READS = """
            WITH free AS (
                SELECT secret.key, read.workspace_id, read.at
                FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS read (workspace_id, key, at)
                JOIN global_secrets AS secret ON secret.key = read.key
                WHERE secret.last_read_at IS NULL OR secret.last_read_at <= read.at - interval '1 minute'
                FOR NO KEY UPDATE OF secret SKIP LOCKED
            )
            UPDATE global_secrets AS secret SET last_read_at = free.at, last_read_by = free.workspace_id
            FROM free WHERE free.key = secret.key
            """;

    /** Those being changed just now, and those that were noted within the minute before, are left as they are. */
    Future<Void> note(List<SecretReads.Read> own, List<SecretReads.Read> global) {
        return Future.join(note(NOTE_READS, own), note(NOTE_GLOBAL_READS, global))
                .mapEmpty();
    }

    private Future<Void> note(String statement, List<SecretReads.Read> reads) {
        Object times = reads.stream() // as one value: an argument that is an array would be taken for many
                .map(read -> PgValues.time(read.at()))
                .toArray(OffsetDateTime[]::new);
        return reads.isEmpty()
                ? Future.succeededFuture()
                : database.run(
                        statement,
                        Tuple.of(
                                Sql.column(reads, SecretReads.Read::workspaceId, UUID[]::new),
                                Sql.column(reads, SecretReads.Read::key, String[]::new),
                                times));
    }
}
