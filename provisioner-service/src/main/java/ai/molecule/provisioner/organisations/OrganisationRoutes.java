package ai.molecule.provisioner.organisations;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.DryRun;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.NamedTenant;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP face of {@link OrganisationService} (registry contract, 7.4 and 7.5).
 *
 * @param orgId the only organisation that is served here; null where a request may name a tenant
 */
public record OrganisationRoutes(
        OrganisationService organisations, @Nullable String orgId) {

    /** What {@code POST /org/import} takes: a folder of texts fits. */
    public static final long IMPORT_MAX_BYTES = 8L * 1024 * 1024;

    /** 200 array, empty when the folder is missing. */
    public void templates(RoutingContext ctx) {
        Answers.json(ctx, organisations.templates());
    }

    /**
     * 201; 207 when all were created but something went wrong after that; 400, 404, 412 and 503 create nothing. The header
     * {@code Idempotency-Key}: asked again within a day, the same answer; 409 while the import goes on, 422 for another one. With {@code ?dry_run=1}: 200, what it would create, or the same refusal.
     */
    public void run(RoutingContext ctx) {
        var request = ImportRequest.of(
                JsonBody.of(ctx, "invalid request body"),
                NamedTenant.of(ctx.request(), orgId),
                ctx.request().getHeader("Idempotency-Key"));
        if (DryRun.isAsked(ctx)) {
            Answers.json(ctx, organisations.preview(request));
            return;
        }
        organisations
                .run(request)
                .onSuccess(answer -> Answers.json(ctx, answer.has("error") ? 207 : 201, Future.succeededFuture(answer)))
                .onFailure(ctx::fail);
    }
}
