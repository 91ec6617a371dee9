package ai.molecule.provisioner;

import static ai.molecule.common.auth.Guard.ADMIN;
import static ai.molecule.common.auth.Guard.CREDENTIAL;
import static ai.molecule.common.auth.Guard.LISTING;
import static ai.molecule.common.auth.Guard.WORKSPACE;
import static ai.molecule.common.auth.Reach.BRANCH;
import static ai.molecule.common.auth.Reach.ONE_WORKSPACE;
import static ai.molecule.common.auth.Reach.ORGANISATION;
import static ai.molecule.provisioner.files.FileRoutes.BODY_MAX_BYTES;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.provisioner.bundles.BundleRoutes;
import ai.molecule.provisioner.consoles.ConsoleRoutes;
import ai.molecule.provisioner.files.DownloadRoutes;
import ai.molecule.provisioner.files.FileRoutes;
import ai.molecule.provisioner.files.UploadRoutes;
import ai.molecule.provisioner.lifecycle.LifecycleRoutes;
import ai.molecule.provisioner.organisations.OrganisationRoutes;
import ai.molecule.provisioner.plugins.PluginRoutes;
import ai.molecule.provisioner.teams.TeamRoutes;
import ai.molecule.provisioner.templates.TemplateRoutes;

/** Every route of the provisioner with its guard. Tests serve the same page. */
public final class ProvisionerRouter {

    private ProvisionerRouter() {}

    public static RoutePage page(
            ServiceContext service,
            Guards guards,
            LifecycleRoutes lifecycle,
            ConsoleRoutes console,
            TeamRoutes teams,
            TemplateRoutes templates,
            FileRoutes files,
            UploadRoutes uploads,
            DownloadRoutes downloads,
            OrganisationRoutes organisations,
            BundleRoutes bundles,
            PluginRoutes plugins) {
        return new RoutePage(service, guards)
                .post("/workspaces/:id/restart", WORKSPACE, ONE_WORKSPACE, lifecycle::restart)
                .post("/workspaces/:id/pause", WORKSPACE, ONE_WORKSPACE, lifecycle::pause)
                .post("/workspaces/:id/resume", WORKSPACE, ONE_WORKSPACE, lifecycle::resume)
                .post("/workspaces/:id/hibernate", WORKSPACE, ONE_WORKSPACE, lifecycle::hibernate)
                .post("/workspaces/:id/wake", WORKSPACE, ONE_WORKSPACE, lifecycle::wake)
                .post("/workspaces/:id/expand", WORKSPACE, BRANCH, teams::expand)
                .post("/workspaces/:id/collapse", WORKSPACE, BRANCH, teams::collapse)
                .get("/workspaces/:id/console", ADMIN, console::show)
                .get("/workspaces/:id/files", WORKSPACE, files::list)
                .route(PUT, "/workspaces/:id/files", WORKSPACE, ONE_WORKSPACE, BODY_MAX_BYTES, files::replace)
                .get("/workspaces/:id/files/*", WORKSPACE, files::read)
                .route(PUT, "/workspaces/:id/files/*", WORKSPACE, ONE_WORKSPACE, BODY_MAX_BYTES, files::write)
                .delete("/workspaces/:id/files/*", WORKSPACE, ONE_WORKSPACE, files::delete)
                .get("/workspaces/:id/shared-context", WORKSPACE, files::sharedContext)
                .route(POST, "/workspaces/:id/chat/uploads", WORKSPACE, ONE_WORKSPACE, uploads::upload)
                .get("/workspaces/:id/chat/download", WORKSPACE, downloads::download)
                .get("/templates", ADMIN, templates::list)
                .route(POST, "/templates/import", ADMIN, ORGANISATION, BODY_MAX_BYTES, templates::importTemplate)
                .get("/org/templates", ADMIN, organisations::templates)
                .route(
                        POST,
                        "/org/import",
                        ADMIN,
                        ORGANISATION,
                        OrganisationRoutes.IMPORT_MAX_BYTES,
                        organisations::run)
                .get("/bundles/export/:id", LISTING, bundles::export)
                .route(POST, "/bundles/import", ADMIN, ORGANISATION, BundleRoutes.IMPORT_MAX_BYTES, bundles::create)
                .get("/plugins", CREDENTIAL, plugins::list)
                .get("/plugins/sources", CREDENTIAL, plugins::sources)
                .get("/workspaces/:id/plugins", WORKSPACE, plugins::installed)
                .route(
                        POST,
                        "/workspaces/:id/plugins",
                        WORKSPACE,
                        ONE_WORKSPACE,
                        plugins.bodyMaxBytes(),
                        plugins::install)
                .get("/workspaces/:id/plugins/available", WORKSPACE, plugins::available)
                .get("/workspaces/:id/plugins/compatibility", WORKSPACE, plugins::compatibility)
                .delete("/workspaces/:id/plugins/:name", WORKSPACE, ONE_WORKSPACE, plugins::uninstall)
                .get("/workspaces/:id/plugins/:name/download", WORKSPACE, plugins::download);
    }
}
