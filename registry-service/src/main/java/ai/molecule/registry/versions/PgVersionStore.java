package ai.molecule.registry.versions;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.InTurn;
import ai.molecule.registry.postgres.PgValues;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tables {@code workspace_versions}, which a trigger writes, and {@code settings_files}. */
public record PgVersionStore(Database database) {

    /** What one workspace's settings files may hold together; a file that finds no room is in no version. */
    private static final int FILES_MAX_BYTES = 256 * 1024;

    private static final String COLUMNS = """
            SELECT v.n, v.created_at, v.changed_with, v.restored_from, v.settings::text AS settings,
                (SELECT before.settings::text FROM workspace_versions AS before
                    WHERE before.workspace_id = v.workspace_id AND before.n = v.n - 1) AS before
            FROM workspace_versions AS v WHERE v.workspace_id = $1
            """;

    private static final String LIST = COLUMNS + "AND ($2::integer IS NULL OR v.n < $2) ORDER BY v.n DESC LIMIT $3";

    private static final String FIND = COLUMNS + "AND v.n = $2";

    private static final String KNOWN = "SELECT 1 FROM workspaces WHERE id = $1 AND status <> 'removed'";

    private static final String CONFIG = """
            INSERT INTO workspace_configs (workspace_id, data, updated_at) VALUES ($1, $2::text::jsonb, $3)
            ON CONFLICT (workspace_id) DO UPDATE SET data = excluded.data, updated_at = excluded.updated_at
            """;

    private static final String KEEP_FILE = """
            INSERT INTO settings_files (workspace_id, path, content)
            SELECT $1, $2, $3 FROM workspaces WHERE id = $1 AND status <> 'removed' AND (
                SELECT coalesce(sum(octet_length(content)), 0) FROM settings_files WHERE workspace_id = $1 AND path <> $2
            ) + octet_length($3) <= $4
            ON CONFLICT (workspace_id, path) DO UPDATE SET content = excluded.content WHERE $5
            """;

    private static final String FORGET_FILE = "DELETE FROM settings_files WHERE workspace_id = $1 AND path = $2";

    /** Newest first. */
    Future<List<Version>> list(UUID workspaceId, @Nullable Integer before, int limit) {
        return database.list(LIST, Tuple.of(workspaceId, before, limit), PgVersionStore::toVersion);
    }

    Future<Optional<Version>> find(UUID workspaceId, int n) {
        return database.find(FIND, Tuple.of(workspaceId, n), PgVersionStore::toVersion);
    }

    Future<Boolean> isKnown(UUID workspaceId) {
        return database.query(KNOWN, Tuple.of(workspaceId)).map(rows -> rows.size() > 0);
    }

    /** What a file held before and holds now; a version each, where the one before was not known. Null for no such file. */
    Future<Void> noteFile(
            UUID workspaceId, String path, @Nullable String before, @Nullable String after, String changedWith) {
        return write(workspaceId, path, before, "platform", false)
                .compose(known -> after == null
                        ? database.transaction(transaction -> PgChangedWith.say(transaction, changedWith)
                                .compose(said -> transaction.run(FORGET_FILE, Tuple.of(workspaceId, path))))
                        : write(workspaceId, path, after, changedWith, true));
    }

    private Future<Void> write(
            UUID workspaceId, String path, @Nullable String content, String changedWith, boolean replace) {
        return content == null
                ? Future.succeededFuture()
                : database.transaction(transaction -> PgChangedWith.say(transaction, changedWith)
                        .compose(said -> transaction.run(
                                KEEP_FILE, Tuple.of(workspaceId, path, content, FILES_MAX_BYTES, replace))));
    }

    /** The config as a whole in place of the present one. */
    static Future<Void> replaceConfig(Sql transaction, UUID workspaceId, ObjectNode config, Instant now) {
        return transaction.run(CONFIG, Tuple.of(workspaceId, Json.text(config), PgValues.time(now)));
    }

    /** As part of a greater change. */
    static Future<Void> keepFiles(Sql transaction, UUID workspaceId, Map<String, String> contents) {
        return InTurn.each(
                        contents.entrySet(),
                        file -> transaction.run(
                                KEEP_FILE,
                                Tuple.of(workspaceId, file.getKey(), file.getValue(), FILES_MAX_BYTES, true)))
                .mapEmpty();
    }

    private static Version toVersion(Row row) {
        String before = row.getString("before");
        return new Version(
                row.getInteger("n"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                row.getString("changed_with"),
                row.getInteger("restored_from"),
                (ObjectNode) Json.stored(row.getString("settings")),
                before == null ? null : (ObjectNode) Json.stored(before));
    }
}
