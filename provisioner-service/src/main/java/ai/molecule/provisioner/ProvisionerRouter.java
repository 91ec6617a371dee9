package ai.molecule.provisioner;

import static ai.molecule.common.auth.Guard.ADMIN;
import static ai.molecule.common.auth.Guard.WORKSPACE;
import static io.vertx.core.http.HttpMethod.POST;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.provisioner.bundles.BundleRoutes;
import ai.molecule.provisioner.lifecycle.LifecycleRoutes;
import ai.molecule.provisioner.organisations.OrganisationRoutes;

/** Every route of the provisioner with its guard. Tests serve the same page. */
public final class ProvisionerRouter {

    private ProvisionerRouter() {}

    public static RoutePage page(
            ServiceContext service,
            Guards guards,
            LifecycleRoutes lifecycle,
            OrganisationRoutes organisations,
            BundleRoutes bundles) {
        return new RoutePage(service, guards)
                .post("/workspaces/:id/restart", WORKSPACE, lifecycle::restart)
                .post("/workspaces/:id/pause", WORKSPACE, lifecycle::pause)
                .post("/workspaces/:id/resume", WORKSPACE, lifecycle::resume)
                .get("/org/templates", ADMIN, organisations::templates)
                .route(POST, "/org/import", ADMIN, OrganisationRoutes.IMPORT_MAX_BYTES, organisations::run)
                .get("/bundles/export/:id", ADMIN, bundles::export)
                .route(POST, "/bundles/import", ADMIN, BundleRoutes.IMPORT_MAX_BYTES, bundles::create);
    }
}
