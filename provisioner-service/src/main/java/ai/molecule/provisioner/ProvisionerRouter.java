package ai.molecule.provisioner;

import static ai.molecule.common.auth.Guard.WORKSPACE;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.provisioner.lifecycle.LifecycleRoutes;

/** Every route of the provisioner with its guard. Tests serve the same page. */
public final class ProvisionerRouter {

    private ProvisionerRouter() {}

    public static RoutePage page(ServiceContext service, Guards guards, LifecycleRoutes lifecycle) {
        return new RoutePage(service, guards)
                .post("/workspaces/:id/restart", WORKSPACE, lifecycle::restart)
                .post("/workspaces/:id/pause", WORKSPACE, lifecycle::pause)
                .post("/workspaces/:id/resume", WORKSPACE, lifecycle::resume);
    }
}
