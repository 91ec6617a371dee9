package ai.molecule.provisioner.kubernetes;

import ai.molecule.common.config.Env;
import ai.molecule.provisioner.containers.ImageNames;
import ai.molecule.provisioner.containers.Tier;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;

/**
 * What the Kubernetes backend needs to know. Where the API server is and who we are to it comes from the pod's service account, or
 * from a kubeconfig.
 *
 * @param namespace {@code MOLECULE_AGENTS_NAMESPACE}, default {@code molecule-agents}: where agents live; nothing else should
 * @param platformUrl {@code PLATFORM_URL}: the agents' door
 * @param uid {@code MOLECULE_CONTAINER_UID}, default 10001: what agents run as, and who owns their files
 * @param images {@code MOLECULE_IMAGE_<RUNTIME>}
 * @param pullSecrets {@code MOLECULE_IMAGE_PULL_SECRETS}: names of secrets of the agents' namespace that open registries
 * @param tiers limits by tier, {@code TIERn_MEMORY_MB} and {@code TIERn_CPU_SHARES}
 * @param volumeSize {@code MOLECULE_AGENT_VOLUME}, default {@code 2Gi}: a Kubernetes quantity, asked for once when a workspace first
 *     starts
 * @param heartbeat {@code MOLECULE_HEARTBEAT_SECONDS}
 * @param stopGrace {@code MOLECULE_STOP_SECONDS}: how long an agent may take to stop before it is killed
 */
public record KubernetesSettings(
        String namespace,
        String platformUrl,
        int uid,
        ImageNames images,
        List<String> pullSecrets,
        List<Tier> tiers,
        String volumeSize,
        Duration heartbeat,
        Duration stopGrace) {

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static KubernetesSettings fromEnv(Env env) {
        return new KubernetesSettings(
                namespace(env.text("MOLECULE_AGENTS_NAMESPACE", "molecule-agents")),
                env.text("PLATFORM_URL", "http://proxy.molecule.svc:8079"),
                (int) env.integer("MOLECULE_CONTAINER_UID", 10_001, 1, 65_533),
                ImageNames.fromEnv(env.variables()),
                pullSecrets(env.list(ImageNames.PULL_SECRETS)),
                Tier.fromEnv(env),
                quantity(env.text("MOLECULE_AGENT_VOLUME", "2Gi")),
                env.seconds("MOLECULE_HEARTBEAT_SECONDS", 30),
                env.seconds("MOLECULE_STOP_SECONDS", 5));
    }

    private static String namespace(String value) {
        if (!value.matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")) {
            throw new IllegalArgumentException("MOLECULE_AGENTS_NAMESPACE is not the name of a namespace");
        }
        return value;
    }

    private static List<String> pullSecrets(List<String> names) {
        if (!names.stream().allMatch(name -> name.matches("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?"))) {
            throw new IllegalArgumentException(ImageNames.PULL_SECRETS + " must be names of secrets");
        }
        return names;
    }

    private static String quantity(String value) {
        try {
            Quantity.getAmountInBytes(new Quantity(value));
            return value;
        } catch (RuntimeException wrong) {
            throw new IllegalArgumentException(
                    "MOLECULE_AGENT_VOLUME is not a Kubernetes quantity, such as 2Gi", wrong);
        }
    }
}
