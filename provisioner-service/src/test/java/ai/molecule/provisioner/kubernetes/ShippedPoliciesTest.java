package ai.molecule.provisioner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.config.Env;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.testkit.Documents;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The policies that the agents' namespace ships with, held against the pods that the backend makes. */
class ShippedPoliciesTest {

    private static final Path POLICIES = Documents.AGENT_POLICIES;

    private final PodNames names = new PodNames(UUID.randomUUID());
    private final Manifests manifests = new Manifests(Pods.settings());

    @Test
    void the_platform_reaches_agents_where_they_listen_and_nobody_reaches_what_opens_their_files() throws IOException {
        var launch = new Launch(Pods.workspace(names.workspaceId(), null), 20_001, "token", Map.of());

        var agents = policy("agents");

        assertThat(selects(agents, manifests.agent(names, launch))).isTrue();
        assertThat(selects(agents, manifests.files(names))).isFalse();
        assertThat(ports(agents)).containsExactly(Manifests.AGENT_PORT);
    }

    @Test
    void nothing_but_the_denial_selects_an_agent_that_was_cut_off() throws IOException {
        var suspect = new PodBuilder(manifests.agent(
                        names, new Launch(Pods.workspace(names.workspaceId(), null), 20_001, "token", Map.of())))
                .editMetadata()
                .addToLabels(PodNames.QUARANTINED, "true")
                .endMetadata()
                .build();

        assertThat(selects(policy("nothing-else"), suspect)).isTrue();
        assertThat(selects(policy("agents"), suspect)).isFalse();
        assertThat(policy("agents").getSpec().getEgress().stream()
                        .flatMap(rule -> rule.getTo().stream())
                        .filter(peer -> peer.getNamespaceSelector() == null && peer.getPodSelector() != null)
                        .map(peer -> selects(peer.getPodSelector(), suspect)))
                .as("whom others may set out for, whatever their own fences let in")
                .containsExactly(false);
    }

    @Test
    void everything_else_is_denied_where_the_backend_puts_agents_by_default() throws IOException {
        var denied = policy("nothing-else");

        assertThat(denied.getMetadata().getNamespace())
                .isEqualTo(KubernetesSettings.fromEnv(new Env(Map.of())).namespace());
        assertThat(denied.getSpec().getPodSelector().getMatchLabels()).isEmpty();
        assertThat(denied.getSpec().getPolicyTypes()).containsExactly("Ingress", "Egress");
        assertThat(denied.getSpec().getIngress()).isEmpty();
        assertThat(denied.getSpec().getEgress()).isEmpty();
    }

    /** Our own policies only say who may come; who may go must be said here. */
    @Test
    void an_agent_may_set_out_for_any_other() throws IOException {
        var out = policy("agents").getSpec().getEgress().stream()
                .flatMap(rule -> rule.getTo().stream())
                .filter(peer -> peer.getNamespaceSelector() == null && peer.getPodSelector() != null)
                .map(peer -> peer.getPodSelector().getMatchLabels())
                .toList();

        assertThat(out).containsExactly(Map.of(PodNames.MANAGED, "true"));
        assertThat(Fences.of(names))
                .allSatisfy(
                        fence -> assertThat(fence.getSpec().getPolicyTypes()).containsExactly("Ingress"));
    }

    private static NetworkPolicy policy(String name) throws IOException {
        List<NetworkPolicy> policies = new KubernetesSerialization().unmarshal(Files.readString(POLICIES));
        return policies.stream()
                .filter(policy -> policy.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static boolean selects(NetworkPolicy policy, Pod pod) {
        return selects(policy.getSpec().getPodSelector(), pod);
    }

    private static boolean selects(LabelSelector selector, Pod pod) {
        var labels = pod.getMetadata().getLabels();
        assertThat(selector.getMatchExpressions())
                .allSatisfy(expression -> assertThat(expression.getOperator()).isEqualTo("DoesNotExist"));
        return labels.entrySet().containsAll(selector.getMatchLabels().entrySet())
                && selector.getMatchExpressions().stream()
                        .noneMatch(expression -> labels.containsKey(expression.getKey()));
    }

    private static List<Integer> ports(NetworkPolicy policy) {
        return policy.getSpec().getIngress().stream()
                .flatMap(rule -> rule.getPorts().stream())
                .map(port -> port.getPort().getIntVal())
                .toList();
    }
}
