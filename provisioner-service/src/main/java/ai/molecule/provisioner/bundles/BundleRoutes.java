package ai.molecule.provisioner.bundles;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.NamedTenant;
import ai.molecule.common.http.PathIds;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP face of {@link BundleService} (registry contract, 7.8).
 *
 * @param guards people of a branch take out what is in it
 * @param orgId the only organisation that is served here; null where a request may name a tenant
 */
public record BundleRoutes(
        BundleService bundles, Guards guards, @Nullable String orgId) {

    /** What {@code POST /bundles/import} takes. */
    public static final long IMPORT_MAX_BYTES = 16L * 1024 * 1024;

    /** 200 bundle; 400 {@code invalid workspace ID}; 404 {@code bundle not found}; 413 when it would be too large. */
    public void export(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        Answers.json(ctx, guards.looksAt(ctx, id).compose(may -> bundles.export(id)));
    }

    /** 201; 400 {@code invalid request body}, {@code invalid bundle}, or the rule a workspace breaks; then nothing is created. */
    public void create(RoutingContext ctx) {
        var sent = JsonBody.of(ctx, "invalid request body").members();
        Answers.json(ctx, 201, bundles.create(sent, NamedTenant.of(ctx.request(), orgId)));
    }
}
