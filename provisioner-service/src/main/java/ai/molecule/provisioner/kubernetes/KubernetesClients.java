package ai.molecule.provisioner.kubernetes;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** Opens the API server with bounds of ours: an unreachable one is known as such within half a minute. */
public final class KubernetesClients {

    private static final int CONNECT_MAX_MILLIS = 5_000;
    private static final int REQUEST_MAX_MILLIS = 10_000;

    /** Beyond the first; what fails longer is tried again by the next look at the workspace. */
    private static final int RETRIES = 1;

    private KubernetesClients() {}

    /** From the pod's service account, or else from a kubeconfig. */
    public static KubernetesClient open() {
        return open(Config.autoConfigure(null));
    }

    static KubernetesClient open(Config where) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(where)
                        .withConnectionTimeout(CONNECT_MAX_MILLIS)
                        .withRequestTimeout(REQUEST_MAX_MILLIS)
                        .withRequestRetryBackoffLimit(RETRIES)
                        .build())
                .build();
    }
}
