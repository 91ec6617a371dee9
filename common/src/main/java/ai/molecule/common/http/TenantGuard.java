package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.config.PlatformConfig;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** With {@code MOLECULE_ORG_ID} set, only requests that name this organisation get in; the others find nothing here. */
public final class TenantGuard implements Handler<RoutingContext> {

    private static final Set<String> ALWAYS =
            Set.of("/health", "/ready", "/metrics", "/registry/register", "/registry/heartbeat");

    private final @Nullable String orgId;

    public TenantGuard(PlatformConfig config) {
        this.orgId = config.orgId();
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (orgId == null || ALWAYS.contains(ctx.request().path()) || names(ctx, orgId)) {
            ctx.next();
        } else if (ctx.request().path().endsWith("/state")) {
            ctx.fail(ApiError.forbidden("organisation header required")); // a 404 would tell the agent it was deleted
        } else {
            ctx.response().setStatusCode(404).end();
        }
    }

    private static boolean names(RoutingContext ctx, String orgId) {
        String replayed = ctx.request().getHeader("Fly-Replay-Src");
        return orgId.equals(ctx.request().getHeader("X-Molecule-Org-Id"))
                || (replayed != null && Stream.of(replayed.split(";", -1)).anyMatch(("state=" + orgId)::equals));
    }
}
