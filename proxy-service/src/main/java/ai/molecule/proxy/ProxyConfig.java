package ai.molecule.proxy;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.proxy.a2a.A2aLimits;
import ai.molecule.proxy.activity.ActivityLimits;
import ai.molecule.proxy.delegations.DelegationLimits;
import ai.molecule.proxy.frontdoor.Owners;
import ai.molecule.proxy.queue.QueueLimits;
import java.util.Map;

/**
 * Everything the proxy reads from its environment, read once at start.
 *
 * @param port {@code PORT}, default 8080; 0 lets the system choose
 * @param owners {@code REGISTRY_URL}, {@code EVENTS_URL}, {@code PROVISIONER_URL}: where the other services listen
 * @param a2a {@code A2A_CALLER_WAIT_SECONDS} (120) and {@code A2A_UPSTREAM_SECONDS} (1800); the rest is decision 12
 */
public record ProxyConfig(
        int port,
        Owners owners,
        A2aLimits a2a,
        ActivityLimits activity,
        DelegationLimits delegations,
        QueueLimits queue,
        PlatformConfig platform) {

    public ProxyConfig withA2a(A2aLimits limits) {
        return new ProxyConfig(port, owners, limits, activity, delegations, queue, platform);
    }

    public ProxyConfig withActivity(ActivityLimits limits) {
        return new ProxyConfig(port, owners, a2a, limits, delegations, queue, platform);
    }

    public ProxyConfig withDelegations(DelegationLimits limits) {
        return new ProxyConfig(port, owners, a2a, activity, limits, queue, platform);
    }

    public ProxyConfig withQueue(QueueLimits limits) {
        return new ProxyConfig(port, owners, a2a, activity, delegations, limits, platform);
    }

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static ProxyConfig fromEnv(Map<String, String> variables) {
        var env = new Env(variables);
        return new ProxyConfig(
                env.port("PORT", 8080),
                Owners.fromEnv(env),
                A2aLimits.DEFAULT
                        .withCallerWait(env.seconds("A2A_CALLER_WAIT_SECONDS", 120))
                        .withUpstream(env.seconds("A2A_UPSTREAM_SECONDS", 1800)),
                ActivityLimits.DEFAULT,
                DelegationLimits.DEFAULT,
                QueueLimits.DEFAULT,
                PlatformConfig.fromEnv(variables));
    }
}
