package ai.molecule.cli.up;

import java.util.Locale;

/** The four services, in the order they are started: whoever is called first comes first. */
enum Service {
    EVENTS("EVENTS_PORT", "ai.molecule.events.EventsMain"),
    REGISTRY("REGISTRY_PORT", "ai.molecule.registry.RegistryMain"),
    PROVISIONER("PROVISIONER_PORT", "ai.molecule.provisioner.ProvisionerMain"),
    PROXY("PORT", "ai.molecule.proxy.ProxyMain");

    private final String portVariable;
    private final String mainClass;

    Service(String portVariable, String mainClass) {
        this.portVariable = portVariable;
        this.mainClass = mainClass;
    }

    /** As users write it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String portVariable() {
        return portVariable;
    }

    String mainClass() {
        return mainClass;
    }
}
