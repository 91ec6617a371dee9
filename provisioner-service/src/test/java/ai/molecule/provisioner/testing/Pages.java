package ai.molecule.provisioner.testing;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.config.Env;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.provisioner.ProvisionerRouter;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.instances.PgInstanceStore;
import ai.molecule.provisioner.lifecycle.LifecycleRoutes;
import ai.molecule.provisioner.plugins.PluginAssembly;
import ai.molecule.provisioner.plugins.PluginSettings;
import ai.molecule.provisioner.plugins.RunningAgents;
import java.time.Duration;
import java.util.Map;

/** The whole page of routes for tests that are about some of them. */
public final class Pages {

    private Pages() {}

    public static RoutePage of(ServiceContext service, Guards guards, Backend backend, LifecycleRoutes lifecycle) {
        var dialer = new SafeDialer(service.vertx(), AddressRules.forDialling(false, false), Duration.ofSeconds(1));
        var settings = PluginSettings.fromEnv(new Env(Map.of()));
        var plugins = new PluginAssembly(
                        service.vertx(), service.bus(), guards, dialer, "https://repositories.invalid", settings)
                .open(new RunningAgents(new PgInstanceStore(service.pool()), backend), backend.files())
                .await();
        return ProvisionerRouter.page(service, guards, lifecycle, plugins);
    }
}
