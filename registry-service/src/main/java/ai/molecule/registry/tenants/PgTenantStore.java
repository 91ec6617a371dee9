package ai.molecule.registry.tenants;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code tenants}, and those that roots name in {@code workspaces}. */
public record PgTenantStore(Database database) {

    /** So many are listed; limits may be kept for as many. */
    private static final int MAX = 1_000;

    /**
     * A tenant.
     *
     * @param id its scope, by which it is a team in {@code GET /usage?by=team}
     * @param roots that are not removed
     * @param limit in US cents; null when there is none
     */
    record Tenant(String name, UUID id, int roots, @Nullable Long limit, String period) {

        /** {@code {"name", "id", "roots", "budget_limit", "budget_period"}}. */
        ObjectNode toJson() {
            return Json.object()
                    .put("name", name)
                    .put("id", id.toString())
                    .put("roots", roots)
                    .put("budget_limit", limit)
                    .put("budget_period", period);
        }
    }

    private static final String LIST = """
            SELECT name, md5('tenant:' || name)::uuid AS id, coalesce(roots, 0)::integer AS roots, budget_limit,
                coalesce(budget_period, 'month') AS budget_period
            FROM (SELECT tenant AS name, count(*) AS roots FROM workspaces WHERE tenant IS NOT NULL AND status <> 'removed' GROUP BY tenant) AS named
            FULL JOIN tenants USING (name)
            WHERE $1::text IS NULL OR name = $1
            ORDER BY name LIMIT
            """ + " " + MAX;

    private static final String LIMIT = """
            INSERT INTO tenants (name, budget_limit, budget_period)
            SELECT $1, $2, coalesce($3, 'month') WHERE (SELECT count(*) FROM tenants WHERE name <> $1) < $4
            ON CONFLICT (name) DO UPDATE SET budget_limit = excluded.budget_limit, budget_period = coalesce($3, tenants.budget_period)
            RETURNING name
            """;

    Future<List<Tenant>> list() {
        return database.list(LIST, Tuple.of((String) null), PgTenantStore::toTenant);
    }

    /**
     * Fails with CONFLICT where there are limits of as many as there may be.
     *
     * @param period null leaves it as it is, a month where nothing was said yet
     */
    Future<Tenant> limit(String name, @Nullable Long limit, @Nullable String period) {
        return database.find(LIMIT, Tuple.of(name, limit, period, MAX), row -> row)
                .compose(done -> done.isPresent()
                        ? database.get(LIST, Tuple.of(name), PgTenantStore::toTenant)
                        : Future.failedFuture(ApiError.conflict("maximum %d tenants with a budget".formatted(MAX))));
    }

    private static Tenant toTenant(Row row) {
        return new Tenant(
                row.getString("name"),
                row.getUUID("id"),
                row.getInteger("roots"),
                row.getLong("budget_limit"),
                row.getString("budget_period"));
    }
}
