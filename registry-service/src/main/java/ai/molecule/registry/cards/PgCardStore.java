package ai.molecule.registry.cards;

import ai.molecule.common.db.Database;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.workspaces.NameShapes;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Cards in {@code workspaces}. */
public record PgCardStore(Database database) {

    private static final String SELECT = """
            SELECT id, name, role, status, agent_card::text AS agent_card,
                   public_card AND admitted AND NOT quarantined AS shown, %s AS borrows
            FROM workspaces AS self
            """;

    /**
     * Whether the agent's card has the name of one near it, or what looks like it: the parent, a child, a sibling, of a root those of its tenant. A
     * card that has its workspace's own name, as most do, is compared with no other.
     */
    private static final String ONE = SELECT.formatted("""
            CASE WHEN self.agent_card ->> 'name' = self.name THEN false
                 ELSE coalesce(NOT %s AND EXISTS (
                     SELECT 1 FROM workspaces AS near
                     WHERE near.id <> self.id AND near.status <> 'removed' AND %s
                         AND (near.id = self.parent_id OR near.parent_id = self.id OR near.parent_id = self.parent_id
                             OR near.tenant = self.tenant)), false)
            END""".formatted(
                    NameShapes.same("self.agent_card ->> 'name'", "self.name"),
                    NameShapes.same("near.name", "self.agent_card ->> 'name'")));

    private static final String FIND = ONE + "WHERE id = $1 AND status <> 'removed'";

    private static final String ROOTS = ONE + """
            WHERE parent_id IS NULL AND status <> 'removed' AND admitted AND NOT quarantined AND ($2::text IS NULL OR tenant = $2)
            ORDER BY created_at, id LIMIT $1
            """;

    /** Of many the cards are not shown, so nothing is compared. */
    private static final String LIST = SELECT.formatted("false") + """
            WHERE status <> 'removed' AND admitted AND NOT quarantined
                AND ($1::uuid[] IS NULL OR id = ANY ($1)) AND ($2::uuid IS NULL OR id > $2)
                AND ($4::text IS NULL OR id IN (
                    WITH RECURSIVE below (id) AS (
                        SELECT id FROM workspaces WHERE tenant = $4
                        UNION
                        SELECT w.id FROM workspaces AS w JOIN below ON w.parent_id = below.id
                    )
                    SELECT id FROM below))
                AND ($5::uuid[] IS NULL OR id IN (
                    WITH RECURSIVE below (id) AS (
                        SELECT unnest($5)
                        UNION
                        SELECT w.id FROM workspaces AS w JOIN below ON w.parent_id = below.id
                    )
                    SELECT id FROM below))
            ORDER BY id LIMIT $3
            """;

    /** Empty for unknown and removed ones. */
    Future<Optional<CardHolder>> find(UUID id) {
        return database.find(FIND, Tuple.of(id), PgCardStore::toHolder);
    }

    /**
     * At most {@code max}, oldest first.
     *
     * @param tenant whose alone; null for all
     */
    Future<List<CardHolder>> roots(@Nullable String tenant, int max) {
        return database.list(ROOTS, Tuple.of(max, tenant), PgCardStore::toHolder);
    }

    /**
     * In the order of their ids, those after {@code after} only.
     *
     * @param among null for all
     * @param branches with all below them; null for all
     * @param tenant whose alone; null for all
     */
    Future<List<CardHolder>> list(
            @Nullable List<UUID> among,
            @Nullable List<UUID> branches,
            @Nullable String tenant,
            @Nullable UUID after,
            int max) {
        return database.list(LIST, Tuple.of(array(among), after, max, tenant, array(branches)), PgCardStore::toHolder);
    }

    private static UUID @Nullable [] array(@Nullable List<UUID> ids) {
        return ids == null ? null : ids.toArray(UUID[]::new);
    }

    private static CardHolder toHolder(Row row) {
        return new CardHolder(
                row.getUUID("id"),
                row.getString("name"),
                row.getString("role"),
                WorkspaceStatus.ofWire(row.getString("status")),
                row.getString("agent_card"),
                row.getBoolean("shown"),
                row.getBoolean("borrows"));
    }
}
