package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Names of models, in {@code model_aliases}, by the workspace they were given to. */
record PgModelAliases(Pool pool) {

    /** Of one workspace. */
    static final int OWN_MAX = 64;

    /** Of all: every proxy has them in mind. */
    private static final int ALL_MAX = 2_000;

    private static final String ALL =
            "SELECT workspace_id, name, models FROM model_aliases ORDER BY workspace_id, name LIMIT $1";

    /** Of two that race for the last place both get one: the bound is for what is kept in mind, and a few more do no harm. */
    private static final String SET = """
            INSERT INTO model_aliases (workspace_id, name, models)
            SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM model_aliases WHERE workspace_id = $1 AND name = $2)
                OR ((SELECT count(*) FROM model_aliases WHERE workspace_id = $1) < $4 AND (SELECT count(*) FROM model_aliases) < $5)
            ON CONFLICT (workspace_id, name) DO UPDATE SET models = excluded.models
            """;

    private static final String REMOVE = "DELETE FROM model_aliases WHERE workspace_id = $1 AND name = $2";

    Future<Map<UUID, Map<String, List<String>>>> all() {
        return pool.preparedQuery(ALL).execute(Tuple.of(ALL_MAX)).map(rows -> {
            Map<UUID, Map<String, List<String>>> all = new LinkedHashMap<>();
            rows.forEach(row -> all.computeIfAbsent(row.getUUID("workspace_id"), first -> new LinkedHashMap<>())
                    .put(row.getString("name"), List.of(row.getArrayOfStrings("models"))));
            return all;
        });
    }

    /** Fails with CONFLICT when there are as many as may be. */
    Future<Void> set(UUID workspaceId, String name, List<String> models) {
        var asked = Tuple.of(workspaceId, name, models.toArray(String[]::new), OWN_MAX, ALL_MAX);
        return pool.preparedQuery(SET).execute(asked).map(rows -> {
            if (rows.rowCount() == 0) {
                throw ApiError.conflict(
                        "there are as many aliases as may be, %d of a workspace and %d in all: remove one first"
                                .formatted(OWN_MAX, ALL_MAX));
            }
            return null;
        });
    }

    /** Whether there was one. */
    Future<Boolean> remove(UUID workspaceId, String name) {
        return pool.preparedQuery(REMOVE).execute(Tuple.of(workspaceId, name)).map(rows -> rows.rowCount() > 0);
    }
}
