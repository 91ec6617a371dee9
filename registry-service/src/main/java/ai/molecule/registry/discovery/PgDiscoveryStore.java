package ai.molecule.registry.discovery;

import ai.molecule.common.db.Database;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.postgres.BatchedReads;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Who is near, and where, in {@code workspaces}. Each read is one statement and so one snapshot. */
public final class PgDiscoveryStore {

    /**
     * The version is the newest change of the two branches that a workspace belongs to, 0 for none. It stands here and is not a function,
     * because PostgreSQL does not inline a function whose body has sub-selects: it would start it anew for each row. The ids stand in a
     * sub-select, so that the planner does not count them: for few it would else plan anew each time, which costs more than the reading.
     */
    private static final String LOCATE = """
            SELECT id, parent_id, name, status, runtime, coalesce(endpoint_url, url) AS url, endpoint_internal_url,
                   greatest(
                       (SELECT c.id FROM branch_changes AS c WHERE c.branch = w.id ORDER BY c.id DESC LIMIT 1),
                       (SELECT c.id FROM branch_changes AS c
                        WHERE c.branch = coalesce(w.parent_id, '00000000-0000-0000-0000-000000000000')
                        ORDER BY c.id DESC LIMIT 1),
                       0) AS branch_version,
                   admitted AND NOT quarantined AS trusted, tenant, coalesce(parent_id, tenant_scope) AS circle
            FROM workspaces AS w WHERE id = ANY ((SELECT $1::uuid[])::uuid[])
            """;

    /**
     * Each part of the union finds its rows by the index on the parent. The first row is the workspace itself, so that one
     * without peers differs from an unknown one. Strangers that nobody admitted are near nobody.
     */
    private static final String NEIGHBOURS = """
            WITH self AS (
                SELECT id, parent_id, admitted, tenant FROM workspaces WHERE id = $1
            ), near AS (
                SELECT id, 0 AS nearness FROM self
                UNION ALL
                SELECT w.id, 1 FROM workspaces AS w JOIN self ON w.parent_id = self.parent_id AND w.id <> self.id
                UNION ALL
                SELECT w.id, 1 FROM workspaces AS w JOIN self ON self.parent_id IS NULL AND w.id <> self.id
                WHERE w.parent_id IS NULL AND w.tenant IS NOT DISTINCT FROM self.tenant
                UNION ALL
                SELECT w.id, 2 FROM workspaces AS w JOIN self ON w.parent_id = self.id
                UNION ALL
                SELECT parent_id, 3 FROM self
            )
            SELECT w.id FROM near JOIN workspaces AS w ON w.id = near.id
            WHERE near.nearness = 0 OR (w.status <> 'removed' AND w.admitted AND (SELECT admitted FROM self))
            ORDER BY near.nearness, w.created_at, w.id
            """;

    /** Up to the roots, by their keys; nothing is locked, and who is moved meanwhile is where the snapshot has it. */
    private static final String SAME_TENANT = """
            SELECT EXISTS (SELECT 1 FROM workspaces WHERE id = $2) AND tenant_of($1) IS NOT DISTINCT FROM tenant_of($2)
            """;

    private static final String PEERS = """
            SELECT w.id, w.name, w.role, w.tier, w.status, w.agent_card::text AS agent_card,
                   coalesce(w.endpoint_url, w.url) AS url, w.parent_id, coalesce(h.active_tasks, 0) AS active_tasks
            FROM workspaces AS w LEFT JOIN heartbeats AS h ON h.workspace_id = w.id
            WHERE w.id = ANY ($1) AND w.status <> 'removed'
            """;

    private final Database database;
    private final BatchedReads<UUID, Location> locations;
    private final BatchedReads<UUID, Peer> peers;

    /** @param context the event loop this is used on */
    public PgDiscoveryStore(Database database, Context context) {
        this.database = database;
        this.locations = new BatchedReads<>(context, ids -> byId(LOCATE, ids, PgDiscoveryStore::toLocation));
        this.peers = new BatchedReads<>(context, ids -> byId(PEERS, ids, PgDiscoveryStore::toPeer));
    }

    /** In one snapshot; removed ones included, unknown ones are missing. Others may be among them. */
    public Future<Map<UUID, Location>> locate(Collection<UUID> ids) {
        return locations.read(ids);
    }

    /** Whether the second is there and of the tenant of the first, or both of none. */
    Future<Boolean> sameTenant(UUID one, UUID other) {
        return database.get(SAME_TENANT, Tuple.of(one, other), row -> row.getBoolean(0));
    }

    /** Siblings, then children, then the parent, without removed ones; empty when the workspace is unknown. */
    public Future<Optional<List<UUID>>> neighbours(UUID id) {
        return database.query(NEIGHBOURS, Tuple.of(id))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(rows.stream()
                                .skip(1)
                                .map(row -> row.getUUID("id"))
                                .toList()));
    }

    /** As their peers see them; unknown and removed ones are missing. Others may be among them. */
    public Future<Map<UUID, Peer>> peers(Collection<UUID> ids) {
        return peers.read(ids);
    }

    private <V> Future<Map<UUID, V>> byId(String statement, Collection<UUID> ids, Function<Row, V> value) {
        return database.map(statement, Tuple.of(ids.toArray(UUID[]::new)), row -> row.getUUID("id"), value);
    }

    private static Location toLocation(Row row) {
        return new Location(
                row.getUUID("id"),
                row.getUUID("parent_id"),
                row.getString("name"),
                WorkspaceStatus.ofWire(row.getString("status")),
                row.getString("runtime"),
                row.getString("url"),
                row.getString("endpoint_internal_url"),
                row.getLong("branch_version"),
                row.getBoolean("trusted"),
                row.getString("tenant"),
                row.getUUID("circle"));
    }

    private static Peer toPeer(Row row) {
        return new Peer(
                row.getUUID("id"),
                row.getString("name"),
                row.getString("role"),
                row.getInteger("tier"),
                WorkspaceStatus.ofWire(row.getString("status")),
                row.getString("agent_card"),
                row.getString("url"),
                row.getUUID("parent_id"),
                row.getInteger("active_tasks"));
    }
}
