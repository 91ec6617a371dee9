package ai.molecule.provisioner;

import static ai.molecule.common.auth.Guard.OPEN;
import static ai.molecule.common.auth.Guard.WORKSPACE;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.provisioner.lifecycle.LifecycleRoutes;
import ai.molecule.provisioner.plugins.PluginRoutes;
import io.vertx.core.http.HttpMethod;

/** Every route of the provisioner with its guard. Tests serve the same page. */
public final class ProvisionerRouter {

    private ProvisionerRouter() {}

    public static RoutePage page(
            ServiceContext service, Guards guards, LifecycleRoutes lifecycle, PluginRoutes plugins) {
        return new RoutePage(service, guards)
                .post("/workspaces/:id/restart", WORKSPACE, lifecycle::restart)
                .post("/workspaces/:id/pause", WORKSPACE, lifecycle::pause)
                .post("/workspaces/:id/resume", WORKSPACE, lifecycle::resume)
                .get("/plugins", OPEN, plugins::list)
                .get("/plugins/sources", OPEN, plugins::sources)
                .get("/workspaces/:id/plugins", WORKSPACE, plugins::installed)
                .route(HttpMethod.POST, "/workspaces/:id/plugins", WORKSPACE, plugins.bodyMaxBytes(), plugins::install)
                .get("/workspaces/:id/plugins/available", WORKSPACE, plugins::available)
                .get("/workspaces/:id/plugins/compatibility", WORKSPACE, plugins::compatibility)
                .delete("/workspaces/:id/plugins/:name", WORKSPACE, plugins::uninstall)
                .get("/workspaces/:id/plugins/:name/download", WORKSPACE, plugins::download);
    }
}
