package ai.molecule.provisioner.kubernetes;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.testkit.Documents;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.http.RecordedRequest;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The role that is shipped, held against the requests that the backend makes. */
@EnableKubernetesMockClient(crud = true, https = false)
@ExtendWith(VertxExtension.class)
class PermissionsTest {

    private static final Path ROLE = Documents.PROVISIONER_ROLE;

    private static final Pattern PATH = Pattern.compile(
            "/(?:api|apis/(?<group>[^/]+))/v1/namespaces/molecule-agents/(?<resource>[^/?]+)(?:/(?<name>[^/?]+)(?<sub>/[^/?]+)?)?(?:\\?(?<query>.*))?");

    /** Granted besides, because clusters differ; said in the role. */
    private static final String ALSO = "create pods/exec";

    @SuppressWarnings("NullAway.Init") // by its extension
    KubernetesMockServer server;

    @SuppressWarnings("NullAway.Init")
    KubernetesClient client;

    @Test
    void the_role_allows_what_the_backend_does_and_nothing_else(Vertx vertx) throws Exception {
        var backend = new KubernetesBackend(vertx, client, Pods.settings());
        var id = UUID.randomUUID();
        var launch = new Launch(Pods.workspace(id, null), 20_001, "token", Map.of());

        backend.start(launch).await();
        var process = backend.start(launch).await();
        backend.exitOf(process);
        backend.findAll().await();
        backend.findKept().await();
        backend.place(Map.of(id, Optional.of(UUID.randomUUID()))).await();
        backend.obstacle(id).await();
        running(id);
        exec(backend, id);
        backend.logTail(id).otherwise("").await();
        backend.describeExit(id, process).await();
        backend.stop(process).await();
        backend.delete(id).await();

        Set<String> used = new TreeSet<>(Set.of(ALSO));
        for (var request = next(); request != null; request = next()) {
            if (!request.getPath().contains("/status")) { // the test's own
                used.add(permission(request));
            }
        }
        assertThat(used).isEqualTo(granted());
    }

    /** Nobody answers the command here; that it was asked for is what counts. */
    private static void exec(KubernetesBackend backend, UUID id) {
        assertThatThrownBy(() -> backend.files()
                        .write(id, Root.CONFIGS, Map.of(FilePath.of("a"), Buffer.buffer("x")))
                        .await())
                .isInstanceOf(Exception.class);
    }

    private void running(UUID id) {
        client.pods()
                .inNamespace("molecule-agents")
                .withName(new PodNames(id).name())
                .editStatus(pod -> pod.edit()
                        .withNewStatus()
                        .withPhase("Running")
                        .endStatus()
                        .build());
    }

    private RecordedRequest next() {
        try {
            return server.takeRequest(0, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String permission(RecordedRequest request) {
        var path = PATH.matcher(request.getPath());
        assertThat(path.matches()).describedAs(request.getPath()).isTrue();
        String resource =
                path.group("resource") + Optional.ofNullable(path.group("sub")).orElse("");
        boolean watch = Optional.ofNullable(path.group("query")).orElse("").contains("watch=true");
        String verb =
                switch (request.method().name()) {
                    case "GET" -> watch ? "watch" : path.group("name") == null ? "list" : "get";
                    case "POST" -> "create";
                    case "PUT" -> "update";
                    case "PATCH" -> "patch";
                    case "DELETE" -> path.group("name") == null ? "deletecollection" : "delete";
                    default -> throw new AssertionError(request.method());
                };
        return verb + " " + resource;
    }

    private Set<String> granted() throws IOException {
        try (var file = Files.newInputStream(ROLE)) {
            return client.load(file).items().stream()
                    .filter(Role.class::isInstance)
                    .map(Role.class::cast)
                    .flatMap(role -> role.getRules().stream())
                    .flatMap(PermissionsTest::permissions)
                    .collect(toCollection(TreeSet::new));
        }
    }

    private static Stream<String> permissions(PolicyRule rule) {
        List<String> verbs = rule.getVerbs();
        return rule.getResources().stream().flatMap(resource -> verbs.stream().map(verb -> verb + " " + resource));
    }
}
