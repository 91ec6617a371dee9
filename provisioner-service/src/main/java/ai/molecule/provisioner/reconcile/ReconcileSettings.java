package ai.molecule.provisioner.reconcile;

import ai.molecule.provisioner.backend.AgentDefaults;
import java.time.Duration;

/**
 * How patient the reconciler is, and what it gives the agents it starts.
 *
 * @param sweep how often everything is looked at, {@code MOLECULE_SWEEP_SECONDS}, default 15 s
 * @param provisioningTimeout how long an agent may take to come online
 * @param restarts when agents that died start again
 */
public record ReconcileSettings(
        Duration sweep, ProvisioningTimeout provisioningTimeout, RestartSchedule restarts, AgentDefaults agents) {}
