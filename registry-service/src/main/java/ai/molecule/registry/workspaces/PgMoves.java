package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.lifecycle.PgOrgChart;
import ai.molecule.registry.workspaces.Move.Other;
import ai.molecule.registry.workspaces.Move.Others;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a move would change, as the org chart stands; reads only. */
public record PgMoves(Database database, PgWorkspaceQuota quotas) {

    /** Of those with whom a workspace could talk then, or no longer; all are counted. */
    static final int LISTED_MAX = 200;

    /** Keys of global secrets; there are at most 100 of them. */
    record Keys(List<String> gained, List<String> lost) {}

    /** @param quiet whether nobody may talk to it: a stranger, or one that is cut off */
    record From(@Nullable UUID parentId, boolean quiet) {}

    record Circles(Others gains, Others loses) {}

    private static final String FROM = """
            SELECT parent_id, NOT admitted OR quarantined AS quiet FROM workspaces WHERE id = $1 AND status <> 'removed'
            """;

    private static final String BELOW = """
            WITH RECURSIVE above AS (
                SELECT id, parent_id FROM workspaces WHERE id = $2
                UNION
                SELECT parent.id, parent.parent_id FROM workspaces AS parent JOIN above ON parent.id = above.parent_id
            )
            SELECT EXISTS (SELECT 1 FROM above WHERE id = $1)
            """;

    /**
     * Who is near it ($1) below the one parent ($2) or the other ($3), and not below both: the parent and the siblings. Its own children
     * go with it. Those that nobody let in, or that are cut off, are near nobody.
     */
    private static final String NEAR = """
            WITH near AS (
                SELECT id, name, role,
                    coalesce(id = $2, false) OR parent_id IS NOT DISTINCT FROM $2 AS before,
                    coalesce(id = $3, false) OR parent_id IS NOT DISTINCT FROM $3 AS after
                FROM workspaces
                WHERE (id = $2 OR id = $3 OR parent_id IS NOT DISTINCT FROM $2 OR parent_id IS NOT DISTINCT FROM $3)
                    AND id <> $1 AND status <> 'removed' AND admitted AND NOT quarantined
            )
            """;

    private static final String DIFFERENCE = NEAR + """
            , numbered AS (
                SELECT id, name, role, after, count(*) OVER (PARTITION BY after) AS count,
                    row_number() OVER (PARTITION BY after ORDER BY lower(name), id) AS nth
                FROM near WHERE before <> after
            )
            SELECT id, name, role, after, count FROM numbered WHERE nth <= $4 ORDER BY nth
            """;

    private static final String LOST_AMONG = NEAR + """
            SELECT id FROM near WHERE before AND NOT after AND id = ANY ($4::uuid[])
            """;

    private static final String SECRETS = """
            WITH RECURSIVE old (id, parent_id) AS (
                SELECT id, parent_id FROM workspaces WHERE id = $2
                UNION SELECT above.id, above.parent_id FROM workspaces AS above JOIN old ON above.id = old.parent_id
            ), new (id, parent_id) AS (
                SELECT id, parent_id FROM workspaces WHERE id = $3
                UNION SELECT above.id, above.parent_id FROM workspaces AS above JOIN new ON above.id = new.parent_id
            ), granted AS (
                SELECT key, granted_to && array_append(ARRAY(SELECT id FROM old), $1::uuid) AS before,
                    granted_to && array_append(ARRAY(SELECT id FROM new), $1::uuid) AS after
                FROM global_secrets WHERE granted_to IS NOT NULL
            )
            SELECT key, after FROM granted WHERE before <> after ORDER BY key
            """;

    /** Fails as the move itself would: NOT_FOUND, INVALID for an unknown parent, CONFLICT below itself, INSUFFICIENT_STORAGE. */
    Future<From> check(UUID id, @Nullable UUID parentId) {
        return database.find(FROM, Tuple.of(id), row -> new From(row.getUUID("parent_id"), row.getBoolean("quiet")))
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(from -> PgOrgChart.requireParent(database, parentId)
                        .compose(known -> parentId == null || parentId.equals(from.parentId)
                                ? Future.<Void>succeededFuture()
                                : quotas.checkChildren(database, Map.of(parentId, 1)))
                        .compose(room -> refuseBelowItself(database, id, parentId))
                        .map(from));
    }

    private static Future<Void> refuseBelowItself(Sql sql, UUID id, @Nullable UUID parentId) {
        return sql.get(BELOW, Tuple.of(id, parentId), row -> row.getBoolean(0))
                .compose(below -> below
                        ? Future.failedFuture(ApiError.conflict("a workspace cannot be moved below itself"))
                        : Future.succeededFuture());
    }

    Future<Circles> circles(UUID id, @Nullable UUID before, @Nullable UUID after) {
        return database.query(DIFFERENCE, Tuple.of(id, before, after, LISTED_MAX))
                .map(rows -> new Circles(others(rows, true), others(rows, false)));
    }

    /** Those among them with whom it could no longer talk. */
    Future<Set<UUID>> lostAmong(UUID id, @Nullable UUID before, @Nullable UUID after, Collection<UUID> others) {
        return database.list(
                        LOST_AMONG, Tuple.of(id, before, after, others.toArray(UUID[]::new)), row -> row.getUUID("id"))
                .map(found -> found.stream().collect(Collectors.toUnmodifiableSet()));
    }

    Future<Keys> secrets(UUID id, @Nullable UUID before, @Nullable UUID after) {
        return database.query(SECRETS, Tuple.of(id, before, after)).map(rows -> {
            List<String> gained = new ArrayList<>();
            List<String> lost = new ArrayList<>();
            rows.forEach(row -> (row.getBoolean("after") ? gained : lost).add(row.getString("key")));
            return new Keys(gained, lost);
        });
    }

    private static Others others(RowSet<Row> rows, boolean after) {
        var listed =
                rows.stream().filter(row -> row.getBoolean("after") == after).toList();
        return new Others(
                listed.isEmpty() ? 0 : listed.getFirst().getLong("count").intValue(),
                listed.stream()
                        .map(row -> new Other(row.getUUID("id"), row.getString("name"), row.getString("role")))
                        .toList());
    }
}
