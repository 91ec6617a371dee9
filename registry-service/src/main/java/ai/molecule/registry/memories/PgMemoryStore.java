package ai.molecule.registry.memories;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.quotas.PgStorageUsage;
import ai.molecule.registry.quotas.Quota;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** {@link MemoryStore} on the table {@code memories}. */
public final class PgMemoryStore implements MemoryStore {

    /** The lock keeps the author from being purged before the rows that refer to it are in. */
    private static final String AUTHOR =
            "SELECT id, parent_id FROM workspaces WHERE id = $1 AND status <> 'removed' FOR KEY SHARE";

    /** One statement: the memory and the rule that only roots write GLOBAL ones stand and fall together. */
    private static final String INSERT = """
            WITH author AS (%s), written AS (
                INSERT INTO memories (id, workspace_id, scope, namespace, content, created_at)
                SELECT $2, id, $3, $4, $5, $6 FROM author WHERE $3 <> 'GLOBAL' OR parent_id IS NULL
                RETURNING id
            )
            SELECT EXISTS (SELECT 1 FROM author) AS known, EXISTS (SELECT 1 FROM written) AS written
            """.formatted(AUTHOR);

    /** What has an id already is left alone, so that seeding again adds nothing. */
    private static final String SEED = """
            INSERT INTO memories (id, workspace_id, scope, namespace, content, created_at)
            SELECT id, $1, scope, namespace, content, $6
            FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[])
                WITH ORDINALITY AS seed (id, scope, namespace, content, place)
            ORDER BY place
            ON CONFLICT (id) DO NOTHING
            RETURNING id
            """;

    private static final String SEARCH = """
            SELECT id, workspace_id, scope, namespace, content, created_at
            FROM (
                SELECT found.*, sum(octet_length(content)) OVER (ORDER BY created_at DESC, position DESC) AS bytes
                FROM (
                    SELECT * FROM memories
                    WHERE workspace_id = $1
                      AND ($2 = '' OR content ILIKE '%' || $2 || '%' OR scope ILIKE '%' || $2 || '%')
                    ORDER BY created_at DESC, position DESC LIMIT $3
                ) AS found
            ) AS measured
            WHERE bytes <= $4
            ORDER BY created_at DESC, position DESC
            """;

    private static final String DELETE = "DELETE FROM memories WHERE id = $1 AND workspace_id = $2";

    private static final String TABLE = "memories";

    private final Pool pool;
    private final Pool searchPool;
    private final Quota quota;
    private final ActivityLog activity;

    /** @param searchPool for what takes long: whoever searches waits for others who search, and nobody else for them */
    public PgMemoryStore(Pool pool, Pool searchPool, Quota quota, ActivityLog activity) {
        this.pool = pool;
        this.searchPool = searchPool;
        this.quota = quota;
        this.activity = activity;
    }

    /** Stores memories within the transaction that creates, or holds, their workspace; returns the ids that were new. */
    public static Future<Set<UUID>> insert(
            SqlClient transaction, UUID workspaceId, List<NewMemory> memories, Instant now) {
        if (memories.isEmpty()) {
            return Future.succeededFuture(Set.of());
        }
        return transaction
                .preparedQuery(SEED)
                .execute(Tuple.tuple()
                        .addValue(workspaceId)
                        .addValue(memories.stream().map(NewMemory::id).toArray(UUID[]::new))
                        .addValue(memories.stream()
                                .map(memory -> memory.scope().name())
                                .toArray(String[]::new))
                        .addValue(memories.stream().map(NewMemory::namespace).toArray(String[]::new))
                        .addValue(memories.stream().map(NewMemory::content).toArray(String[]::new))
                        .addValue(PgValues.time(now)))
                .map(rows -> rows.stream().map(row -> row.getUUID("id")).collect(Collectors.toSet()));
    }

    @Override
    public Future<Void> insert(UUID workspaceId, NewMemory memory, Instant now) {
        var told = memory.scope() == MemoryScope.GLOBAL
                ? List.of(GlobalWrite.of(workspaceId, memory, now))
                : List.<ActivityRow>of();
        return pool.withTransaction(transaction -> transaction
                        .preparedQuery(INSERT)
                        .execute(Tuple.tuple()
                                .addValue(workspaceId)
                                .addValue(memory.id())
                                .addValue(memory.scope().name())
                                .addValue(memory.namespace())
                                .addValue(memory.content())
                                .addValue(PgValues.time(now)))
                        .compose(rows -> {
                            var outcome = rows.iterator().next();
                            if (!outcome.getBoolean("known")) {
                                return Future.failedFuture(ApiError.notFound("workspace not found"));
                            }
                            return outcome.getBoolean("written")
                                    ? PgStorageUsage.require(Sql.of(transaction), workspaceId, TABLE, quota)
                                    : Future.failedFuture(
                                            ApiError.forbidden("only root workspaces can write GLOBAL memories"));
                        })
                        .compose(within -> activity.append(transaction, told)))
                .onSuccess(fresh -> activity.committed(told, fresh))
                .mapEmpty();
    }

    @Override
    public Future<Set<UUID>> seed(UUID workspaceId, List<NewMemory> memories, Instant now) {
        return pool.withTransaction(transaction -> transaction
                .preparedQuery(AUTHOR)
                .execute(Tuple.of(workspaceId))
                .compose(rows -> rows.size() > 0
                        ? insert(transaction, workspaceId, memories, now)
                        : Future.failedFuture(ApiError.notFound("workspace not found")))
                .compose(fresh -> PgStorageUsage.require(Sql.of(transaction), workspaceId, TABLE, quota)
                        .map(fresh)));
    }

    @Override
    public Future<List<Memory>> list(MemoryQuery query) {
        return (query.text().isEmpty() ? pool : searchPool)
                .preparedQuery(PgMemoryReach.statement(query))
                .execute(Tuple.of(query.readerId(), query.namespace(), query.text(), query.limit()))
                .map(rows -> rows.stream().map(PgMemoryStore::toMemory).toList());
    }

    @Override
    public Future<List<Memory>> search(UUID workspaceId, String text, int max, int bytesMax) {
        return searchPool
                .preparedQuery(SEARCH)
                .execute(Tuple.of(workspaceId, text, max, bytesMax))
                .map(rows -> rows.stream().map(PgMemoryStore::toMemory).toList());
    }

    @Override
    public Future<Boolean> delete(UUID workspaceId, UUID memoryId) {
        return pool.preparedQuery(DELETE)
                .execute(Tuple.of(memoryId, workspaceId))
                .map(done -> done.rowCount() > 0);
    }

    private static Memory toMemory(Row row) {
        return new Memory(
                row.getUUID("id"),
                row.getUUID("workspace_id"),
                row.getString("content"),
                MemoryScope.valueOf(row.getString("scope")),
                row.getString("namespace"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")));
    }
}
