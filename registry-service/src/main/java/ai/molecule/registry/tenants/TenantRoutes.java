package ai.molecule.registry.tenants;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.TenantName;
import ai.molecule.registry.tenants.PgTenantStore.Tenant;
import io.vertx.ext.web.RoutingContext;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code /tenants}. */
public record TenantRoutes(PgTenantStore store) {

    private static final String LIMIT = "budget_limit";
    private static final String PERIOD = "budget_period";
    private static final Set<String> PERIODS = Set.of("month", "day", "all");

    /** {@code {"tenants": […]}}, those that a root names or that have a budget, at most a thousand. */
    public void list(RoutingContext ctx) {
        Answers.json(
                ctx, store.list().map(found -> Json.object().set("tenants", Answers.array(found, Tenant::toJson))));
    }

    /** {@code {"budget_limit": cents or null[, "budget_period"]}} → the tenant. */
    public void limit(RoutingContext ctx) {
        String name = TenantName.checked(String.valueOf(ctx.pathParam("name")));
        var body = JsonBody.of(ctx, "invalid request body");
        if (!body.has(LIMIT)) {
            throw ApiError.invalid("budget_limit field is required");
        }
        String period = body.text(PERIOD);
        if (period != null && !PERIODS.contains(period)) {
            throw ApiError.invalid("budget_period must be month, day or all");
        }
        Answers.json(ctx, store.limit(name, limitOf(body), period).map(Tenant::toJson));
    }

    private static @Nullable Long limitOf(JsonBody body) {
        var given = body.node(LIMIT);
        if (given == null || given.isNull()) {
            return null;
        }
        if (!given.isIntegralNumber() || !given.canConvertToLong() || given.longValue() < 0) {
            throw ApiError.invalid("budget_limit must be a whole number of US cents of 0 or more, or null");
        }
        return given.longValue();
    }
}
