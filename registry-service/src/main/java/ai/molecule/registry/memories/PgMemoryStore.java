package ai.molecule.registry.memories;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.memories.PgMemoryReach.Match;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.quotas.PgStorageUsage;
import ai.molecule.registry.quotas.Quota;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/**
 * Memories, in the table {@code memories}.
 *
 * @param searching for what takes long: whoever searches waits for others who search, and nobody else for them
 */
public record PgMemoryStore(Database database, Sql searching, Quota quota, ActivityLog activity) {

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

    /** Stores memories within the transaction that creates, or holds, their workspace; returns the ids that were new. */
    public static Future<Set<UUID>> insert(Sql transaction, UUID workspaceId, List<NewMemory> memories, Instant now) {
        if (memories.isEmpty()) {
            return Future.succeededFuture(Set.of());
        }
        return transaction
                .list(
                        SEED,
                        Tuple.of(
                                workspaceId,
                                memories.stream().map(NewMemory::id).toArray(UUID[]::new),
                                Sql.column(memories, memory -> memory.scope().name(), String[]::new),
                                memories.stream().map(NewMemory::namespace).toArray(String[]::new),
                                memories.stream().map(NewMemory::content).toArray(String[]::new),
                                PgValues.time(now)),
                        row -> row.getUUID("id"))
                .map(HashSet::new);
    }

    /**
     * Stores a memory; one for all with a row of activity that tells so. Fails with NOT_FOUND for an unknown or removed author and
     * with FORBIDDEN for a GLOBAL one of an author that is no root, INSUFFICIENT_STORAGE beyond the author's quota.
     */
    public Future<Void> insert(UUID workspaceId, NewMemory memory, Instant now) {
        var told = memory.scope() == MemoryScope.GLOBAL
                ? List.of(GlobalWrite.of(workspaceId, memory, now))
                : List.<ActivityRow>of();
        return database.transaction(transaction -> transaction
                        .query(
                                INSERT,
                                Tuple.of(
                                        workspaceId,
                                        memory.id(),
                                        memory.scope().name(),
                                        memory.namespace(),
                                        memory.content(),
                                        PgValues.time(now)))
                        .compose(rows -> {
                            var outcome = rows.iterator().next();
                            if (!outcome.getBoolean("known")) {
                                return Future.failedFuture(ApiError.notFound("workspace not found"));
                            }
                            return outcome.getBoolean("written")
                                    ? PgStorageUsage.require(transaction, workspaceId, TABLE, quota)
                                    : Future.failedFuture(
                                            ApiError.forbidden("only root workspaces can write GLOBAL memories"));
                        })
                        .compose(within -> activity.append(transaction.client(), told)))
                .onSuccess(fresh -> activity.committed(told, fresh))
                .mapEmpty();
    }

    /** Stores those whose id is new, in the given order, and returns these ids; NOT_FOUND for an unknown or removed workspace, INSUFFICIENT_STORAGE beyond its quota. */
    public Future<Set<UUID>> seed(UUID workspaceId, List<NewMemory> memories, Instant now) {
        return database.transaction(transaction -> transaction
                .query(AUTHOR, Tuple.of(workspaceId))
                .compose(rows -> rows.size() > 0
                        ? insert(transaction, workspaceId, memories, now)
                        : Future.failedFuture(ApiError.notFound("workspace not found")))
                .compose(fresh -> PgStorageUsage.require(transaction, workspaceId, TABLE, quota)
                        .map(fresh)));
    }

    /**
     * What the reader may see of what it asks for, best or newest first: where words are asked for, what has all of them, else what has any,
     * else what has them within other words.
     */
    public Future<List<Memory>> list(MemoryQuery query) {
        return list(query, Match.ALL_WORDS)
                .compose(found -> orElse(query, found, Match.ANY_WORD))
                .compose(found -> orElse(query, found, Match.PART_OF_WORDS)
                        .recover(failure ->
                                Postgres.isUnavailable(failure) // parts of words take time where there is much
                                        ? Future.succeededFuture(found)
                                        : Future.failedFuture(failure)));
    }

    private Future<List<Memory>> orElse(MemoryQuery query, List<Memory> found, Match match) {
        return found.isEmpty() && query.byWords() ? list(query, match) : Future.succeededFuture(found);
    }

    private Future<List<Memory>> list(MemoryQuery query, Match match) {
        return (query.text().isEmpty() ? database : searching)
                .list(
                        PgMemoryReach.statement(query, match),
                        Tuple.of(query.readerId(), query.namespace(), query.text(), query.limit()),
                        PgMemoryStore::toMemory);
    }

    /** A workspace's own with the text in content or scope, newest first; ends early before it would exceed {@code bytesMax}. */
    public Future<List<Memory>> search(UUID workspaceId, String text, int max, int bytesMax) {
        return searching.list(SEARCH, Tuple.of(workspaceId, text, max, bytesMax), PgMemoryStore::toMemory);
    }

    /** False when the workspace has written no such memory. */
    public Future<Boolean> delete(UUID workspaceId, UUID memoryId) {
        return database.changes(DELETE, Tuple.of(memoryId, workspaceId));
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
