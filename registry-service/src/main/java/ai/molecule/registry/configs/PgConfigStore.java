package ai.molecule.registry.configs;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.versions.PgChangedWith;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** Configs, in the table {@code workspace_configs}. */
public record PgConfigStore(Database database) {

    private static final String FIND = "SELECT data::text AS data FROM workspace_configs WHERE workspace_id = $1";

    /** Merged under the row's lock: of two racing merges neither loses the other's members. */
    private static final String MERGE = """
            WITH known AS (
                SELECT id FROM workspaces WHERE id = $1 AND status <> 'removed' FOR NO KEY UPDATE
            ), merged AS (
                INSERT INTO workspace_configs AS kept (workspace_id, data, updated_at)
                SELECT id, $2::text::jsonb, $4 FROM known WHERE octet_length($2::text::jsonb::text) <= $3
                ON CONFLICT (workspace_id) DO UPDATE
                SET data = kept.data || excluded.data, updated_at = excluded.updated_at
                WHERE octet_length((kept.data || excluded.data)::text) <= $3
                RETURNING workspace_id
            )
            SELECT EXISTS (SELECT 1 FROM known) AS known, EXISTS (SELECT 1 FROM merged) AS merged
            """;

    /** The object as JSON text; empty when nothing was kept. */
    public Future<Optional<String>> find(UUID workspaceId) {
        return database.find(FIND, Tuple.of(workspaceId), row -> row.getString("data"));
    }

    /**
     * Puts the members of a JSON object in place of those of the same name.
     *
     * @return false when the whole would be longer than {@code bytesMax}; fails with NOT_FOUND for an unknown or removed workspace
     */
    public Future<Boolean> merge(UUID workspaceId, String members, int bytesMax, String changedWith, Instant now) {
        var parameters = Tuple.of(workspaceId, members, bytesMax, PgValues.time(now));
        return database.transaction(transaction -> PgChangedWith.say(transaction, changedWith)
                        .compose(said -> transaction.get(MERGE, parameters, row -> row)))
                .map(outcome -> {
                    if (!outcome.getBoolean("known")) {
                        throw ApiError.notFound("workspace not found");
                    }
                    return outcome.getBoolean("merged");
                });
    }
}
