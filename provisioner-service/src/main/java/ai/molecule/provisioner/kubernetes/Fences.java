package ai.molecule.provisioner.kubernetes;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRuleBuilder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The access rule of the org chart as network policies: siblings, roots among themselves, parent and child. They select by label
 * and name no pod, so a workspace that moves changes one label of its own pod and no policy. They only allow: that everything else
 * is denied, and that the platform itself gets in, is what the namespace ships with.
 */
final class Fences {

    private static final String ROOTS = "molecule-among-roots";

    private Fences() {}

    /** What a workspace needs from its first start until it is deleted. */
    static List<NetworkPolicy> of(PodNames workspace) {
        String id = workspace.workspaceId().toString();
        var itself = Map.of(PodNames.ID, id);
        var children = Map.of(PodNames.PARENT, id);
        return List.of(
                policy(workspace.fence(), workspace.labels(), itself, children),
                policy(workspace.childrenFence(), workspace.labels(), children, children, itself));
    }

    /** One for the whole namespace. */
    static NetworkPolicy amongRoots() {
        var roots = Map.of(PodNames.PARENT, PodNames.NO_PARENT);
        return policy(ROOTS, Map.of(PodNames.MANAGED, "true"), roots, roots);
    }

    /** Roots of one tenant among themselves; to those of others they are strangers. */
    static NetworkPolicy amongRoots(UUID tenantScope) {
        var roots = Map.of(PodNames.PARENT, tenantScope.toString());
        return policy(ROOTS + "-" + tenantScope, Map.of(PodNames.MANAGED, "true"), roots, roots);
    }

    @SafeVarargs
    private static NetworkPolicy policy(
            String name, Map<String, String> labels, Map<String, String> reached, Map<String, String>... by) {
        return new NetworkPolicyBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withPodSelector(selector(reached))
                .withPolicyTypes("Ingress")
                .withIngress(from(by))
                .endSpec()
                .build();
    }

    private static NetworkPolicyIngressRule from(Map<String, String>[] by) {
        var rule = new NetworkPolicyIngressRuleBuilder();
        Arrays.stream(by)
                .forEach(peer ->
                        rule.addNewFrom().withPodSelector(selector(peer)).endFrom());
        return rule.build();
    }

    private static LabelSelector selector(Map<String, String> labels) {
        return new LabelSelectorBuilder().withMatchLabels(labels).build();
    }
}
