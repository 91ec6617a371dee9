package ai.molecule.provisioner.testing;

import ai.molecule.common.service.ServiceContext;
import ai.molecule.provisioner.backend.NoBackend;
import ai.molecule.provisioner.bundles.BundleRoutes;
import ai.molecule.provisioner.bundles.BundleService;
import ai.molecule.provisioner.imports.WorkspaceImport;
import ai.molecule.provisioner.organisations.OrgSettings;
import ai.molecule.provisioner.organisations.OrganisationRoutes;
import ai.molecule.provisioner.organisations.OrganisationService;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.util.Map;

/** Routes a router needs for tests that ask for none of them. */
public final class UnusedRoutes {

    private UnusedRoutes() {}

    public static BundleRoutes bundles(ServiceContext service) {
        var imports = new WorkspaceImport(service.bus(), new NoBackend(), id -> Future.succeededFuture());
        return new BundleRoutes(new BundleService(service.bus(), new NoBackend(), imports));
    }

    public static OrganisationRoutes organisations(ServiceContext service) {
        var nowhere = Path.of("nowhere");
        var settings = new OrgSettings(nowhere, nowhere, nowhere, Map.of());
        var imports = new WorkspaceImport(service.bus(), new NoBackend(), id -> Future.succeededFuture());
        return new OrganisationRoutes(new OrganisationService(service.vertx(), service.bus(), settings, imports));
    }
}
