package ai.molecule.cli.machine;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.machine.Finding.Verdict;
import ai.molecule.testkit.Documents;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceListBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.api.model.storage.StorageClassListBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.VersionInfo;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clusters that lack something, by an API server that says so. */
@EnableKubernetesMockClient
@SuppressWarnings("NullAway.Init") // the extension sets them
class LookingAtAClusterTest {

    private static final String REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    private static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    private static final String SLICES =
            "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkube-dns";

    KubernetesMockServer server;
    KubernetesClient client;

    @Test
    void one_that_has_all_is_told_in_four_lines() {
        allows(true);
        classes(true);
        dns(true);

        var findings = look();

        assertThat(findings)
                .extracting(Finding::name)
                .containsExactly("Kubernetes", "k8s rights", "k8s storage", "k8s DNS");
        assertThat(findings).allMatch(each -> each.verdict() == Verdict.OK);
        assertThat(findings.getFirst().says()).isEqualTo("staging, v1.31.2");
    }

    @Test
    void what_is_missing_is_noted_with_what_to_do() {
        allows(false);
        classes(false);
        dns(false);

        var findings = look();

        assertThat(findings.get(1).says())
                .startsWith("In molecule-agents this account may not: create pods, delete pods,")
                .contains("create pods/exec")
                .endsWith("get networkpolicies.");
        assertThat(findings.get(2).says()).startsWith("No StorageClass is the default (slow)");
        assertThat(findings.get(3).says()).startsWith("Nothing is ready behind kube-dns");
        assertThat(findings)
                .filteredOn(each -> each.verdict() == Verdict.NOTE)
                .hasSize(3)
                .allSatisfy(each -> assertThat(each.todo()).isNotBlank());
    }

    @Test
    void what_an_account_may_not_ask_is_told_as_that() {
        allows(true);
        server.expect()
                .get()
                .withPath(CLASSES)
                .andReturn(403, Map.of("kind", "Status", "code", 403))
                .always();
        dns(true);

        assertThat(look().get(2).says()).isEqualTo("This account may not ask that.");
    }

    @Test
    void one_that_does_not_answer_is_asked_nothing_more() {
        server.shutdown();

        var impatient = new ConfigBuilder(client.getConfiguration())
                .withRequestRetryBackoffLimit(0)
                .build();
        var cluster = new KubernetesClientBuilder().withConfig(impatient).build();
        assertThat(new ClusterChecks(cluster, "staging", "molecule-agents").all())
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.verdict()).isEqualTo(Verdict.NOTE);
                    assertThat(each.says())
                            .startsWith("staging at ")
                            .endsWith("does not answer; only its backend needs one.");
                });
    }

    @Test
    void where_none_is_named_nothing_is_asked(@TempDir Path home) {
        assertThat(ClusterChecks.of(Map.of("HOME", home.toString())))
                .containsExactly(Finding.ok("Kubernetes", "no cluster is named; only its backend needs one"));
    }

    @Test
    void the_rights_are_those_of_the_manifest() throws IOException {
        var role = (Role) Serialization.unmarshal(
                Files.readString(Documents.PROVISIONER_ROLE).split("---", -1)[0]);

        assertThat(role.getRules().stream()
                        .flatMap(rule -> rule.getResources().stream()
                                .map(resource ->
                                        rule.getApiGroups().getFirst() + " " + resource + " " + rule.getVerbs())))
                .containsExactlyInAnyOrderElementsOf(ClusterChecks.RIGHTS.stream()
                        .map(right -> right.group() + " " + right.resource() + " " + right.verbs())
                        .toList());
    }

    private List<Finding> look() {
        server.setVersionInfo(
                new VersionInfo.Builder().withGitVersion("v1.31.2").build());
        return new ClusterChecks(client, "staging", "molecule-agents").all();
    }

    private void allows(boolean everything) {
        var answer = new SelfSubjectAccessReviewBuilder()
                .withNewStatus()
                .withAllowed(everything)
                .endStatus()
                .build();
        server.expect().post().withPath(REVIEWS).andReturn(201, answer).always();
    }

    private void classes(boolean withDefault) {
        var one = new StorageClassBuilder()
                .withNewMetadata()
                .withName("slow")
                .addToAnnotations("storageclass.kubernetes.io/is-default-class", String.valueOf(withDefault))
                .endMetadata()
                .build();
        server.expect()
                .get()
                .withPath(CLASSES)
                .andReturn(200, new StorageClassListBuilder().withItems(one).build())
                .always();
    }

    private void dns(boolean ready) {
        var slice = new EndpointSliceBuilder()
                .withNewMetadata()
                .withName("kube-dns-1")
                .endMetadata()
                .addNewEndpoint()
                .withNewConditions()
                .withReady(ready)
                .endConditions()
                .endEndpoint()
                .build();
        server.expect()
                .get()
                .withPath(SLICES)
                .andReturn(200, new EndpointSliceListBuilder().withItems(slice).build())
                .always();
    }
}
