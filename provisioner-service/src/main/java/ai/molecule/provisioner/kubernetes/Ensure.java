package ai.molecule.provisioner.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/** Sees to it that an object is there. */
final class Ensure {

    private static final int CONFLICT = 409;

    private Ensure() {}

    static void exists(KubernetesClient client, String namespace, HasMetadata wanted) {
        try {
            client.resource(wanted).inNamespace(namespace).create();
        } catch (KubernetesClientException refused) {
            if (refused.getCode() != CONFLICT) {
                throw refused;
            }
        }
    }

    static void isAsWanted(KubernetesClient client, String namespace, HasMetadata wanted) {
        try {
            client.resource(wanted).inNamespace(namespace).create();
        } catch (KubernetesClientException refused) {
            if (refused.getCode() != CONFLICT) {
                throw refused;
            }
            client.resource(wanted).inNamespace(namespace).patch();
        }
    }
}
