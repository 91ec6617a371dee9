package ai.molecule.provisioner;

import ai.molecule.common.service.ServiceProcess;

/** The provisioner as a process of its own. */
public final class ProvisionerMain {

    private ProvisionerMain() {}

    public static void main(String[] args) {
        ServiceProcess.run(
                "provisioner", ProvisionerConfig::fromEnv, ProvisionerConfig::platform, ProvisionerVerticle::new);
    }
}
