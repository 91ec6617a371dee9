package ai.molecule.registry;

import ai.molecule.common.service.ServiceProcess;

/** The registry as a process of its own. */
public final class RegistryMain {

    private RegistryMain() {}

    public static void main(String[] args) {
        ServiceProcess.run("registry", RegistryConfig::fromEnv, RegistryConfig::platform, RegistryVerticle::new);
    }
}
