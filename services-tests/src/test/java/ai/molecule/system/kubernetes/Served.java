package ai.molecule.system.kubernetes;

import ai.molecule.common.config.PlatformConfig;
import ai.molecule.events.EventsConfig;
import ai.molecule.provisioner.ProvisionerConfig;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.registry.RegistryConfig;
import java.util.Locale;
import java.util.Map;

/** The four services: what reads their environment, and where they then listen. */
enum Served {
    REGISTRY,
    PROXY,
    EVENTS,
    PROVISIONER;

    /** A service's configuration, and what of it all have. */
    record Read(int port, PlatformConfig platform, Record config) {}

    /** Also of its account, its service, its container and the pods' label. */
    String deployment() {
        return name().toLowerCase(Locale.ROOT);
    }

    String module() {
        return deployment() + "-service";
    }

    /** {@link IllegalArgumentException} where the service would refuse to start. */
    Read read(Map<String, String> variables) {
        return switch (this) {
            case REGISTRY -> {
                var config = RegistryConfig.fromEnv(variables);
                yield new Read(config.port(), config.platform(), config);
            }
            case PROXY -> {
                var config = ProxyConfig.fromEnv(variables);
                yield new Read(config.port(), config.platform(), config);
            }
            case EVENTS -> {
                var config = EventsConfig.fromEnv(variables);
                yield new Read(config.port(), config.platform(), config);
            }
            case PROVISIONER -> {
                var config = ProvisionerConfig.fromEnv(variables);
                yield new Read(config.port(), config.platform(), config);
            }
        };
    }
}
