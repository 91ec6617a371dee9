package ai.molecule.provisioner.reconcile;

import ai.molecule.common.config.Env;
import java.time.Duration;

/**
 * How long an agent may take to come online (registry contract, 8 and 14).
 *
 * @param usual of every runtime but hermes
 * @param hermes its programs take long to set themselves up
 */
public record ProvisioningTimeout(Duration usual, Duration hermes) {

    private static final Duration USUAL = Duration.ofMinutes(10);
    private static final Duration HERMES = Duration.ofMinutes(30);

    /** {@code PROVISION_TIMEOUT_SECONDS}, or else {@code MOLECULE_PROVISION_TIMEOUT_SECONDS}, is for all runtimes alike. */
    public static ProvisioningTimeout fromEnv(Env env) {
        for (String name : new String[] {"PROVISION_TIMEOUT_SECONDS", "MOLECULE_PROVISION_TIMEOUT_SECONDS"}) {
            if (env.find(name) != null) {
                return always(env.seconds(name, USUAL.toSeconds()));
            }
        }
        return new ProvisioningTimeout(USUAL, HERMES);
    }

    public static ProvisioningTimeout always(Duration timeout) {
        return new ProvisioningTimeout(timeout, timeout);
    }

    Duration of(String runtime) {
        return runtime.equals("hermes") ? hermes : usual;
    }
}
