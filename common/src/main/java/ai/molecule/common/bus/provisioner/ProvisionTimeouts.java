package ai.molecule.common.bus.provisioner;

import ai.molecule.common.bus.Contract;
import java.util.Map;

/**
 * How long templates say that the first start of an agent may take ({@code runtime_config.provision_timeout_seconds}). Called by the
 * registry, which tells clients. Reads only.
 */
public record ProvisionTimeouts() {

    public static final Contract<ProvisionTimeouts, Answer> CONTRACT =
            Contract.reading("provisioner.provision-timeouts", ProvisionTimeouts.class, Answer.class);

    /** @param seconds by runtime, the longest of all its templates; without those whose templates say nothing */
    public record Answer(Map<String, Long> seconds) {}
}
