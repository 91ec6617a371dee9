package ai.molecule.proxy;

import ai.molecule.common.service.ServiceProcess;

/** Process entry point: environment in, one verticle deployed, clean stop on SIGTERM. */
public final class ProxyMain {

    private ProxyMain() {}

    public static void main(String[] args) {
        ServiceProcess.run("proxy", ProxyConfig::fromEnv, ProxyConfig::platform, ProxyVerticle::new);
    }
}
