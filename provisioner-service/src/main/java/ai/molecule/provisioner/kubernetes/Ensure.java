package ai.molecule.provisioner.kubernetes;

import ai.molecule.common.ApiError;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/** Sees to it that an object is there. One of that name that is another workspace's fails with CONFLICT and is left as it is. */
final class Ensure {

    private static final int CONFLICT = 409;

    private Ensure() {}

    static void exists(KubernetesClient client, String namespace, HasMetadata wanted) {
        create(client, namespace, wanted);
    }

    static void isAsWanted(KubernetesClient client, String namespace, HasMetadata wanted) {
        if (!create(client, namespace, wanted)) {
            client.resource(wanted).inNamespace(namespace).patch();
        }
    }

    /** False when it was there. */
    private static boolean create(KubernetesClient client, String namespace, HasMetadata wanted) {
        try {
            client.resource(wanted).inNamespace(namespace).create();
            return true;
        } catch (KubernetesClientException refused) {
            if (refused.getCode() != CONFLICT) {
                throw refused;
            }
        }
        var found = client.resource(wanted).inNamespace(namespace).get();
        if (found != null && !PodNames.ownerOf(found).equals(PodNames.ownerOf(wanted))) {
            throw anothers(found);
        }
        return false;
    }

    static ApiError anothers(HasMetadata found) {
        return ApiError.conflict("there is a %s %s that is not this workspace's"
                .formatted(found.getKind(), found.getMetadata().getName()));
    }
}
