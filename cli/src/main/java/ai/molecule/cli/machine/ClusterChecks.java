package ai.molecule.cli.machine;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The cluster that kubectl would speak to, looked at with questions that change nothing. Only the Kubernetes backend needs one, so whatever
 * is amiss is a note.
 *
 * @param context as the kubeconfig calls it
 * @param namespace where agents would live
 */
public record ClusterChecks(KubernetesClient cluster, String context, String namespace) {

    private static final String NAME = "Kubernetes";
    private static final String ONLY = "; only its backend needs one";
    private static final int ANSWER_MAX_MILLIS = 3_000;
    private static final int ALL_MAX_SECONDS = 20;
    private static final String DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
    private static final int FORBIDDEN = 403;

    /**
     * What the provisioner may do in the agents' namespace, as k8s/base/provisioner-role.yaml grants it. A cluster lets nobody grant what
     * he may not do himself, so who applies that file needs it all.
     */
    static final List<Right> RIGHTS = List.of(
            Right.of("", "pods", "create", "delete", "get", "list", "patch", "watch"),
            Right.of("", "pods/exec", "create", "get"),
            Right.of("", "pods/log", "get"),
            Right.of("", "events", "list"),
            Right.of("", "services", "create", "delete", "get", "patch"),
            Right.of("", "secrets", "create", "delete", "get", "patch"),
            Right.of("", "persistentvolumeclaims", "create", "delete", "get", "list"),
            Right.of("networking.k8s.io", "networkpolicies", "create", "delete", "get"));

    /** @param resource with its subresource behind a slash, as roles have it */
    record Right(String group, String resource, List<String> verbs) {

        private static Right of(String group, String resource, String... verbs) {
            return new Right(group, resource, List.of(verbs));
        }
    }

    /** Of the cluster that this user's kubeconfig or this pod's account names; one line where there is none. */
    public static List<Finding> of(Map<String, String> environment) {
        String namespace = environment.getOrDefault("MOLECULE_AGENTS_NAMESPACE", "molecule-agents");
        if (!isNamed(environment)) {
            return List.of(Finding.ok(NAME, "no cluster is named" + ONLY));
        }
        var where = new ConfigBuilder(Config.autoConfigure(null))
                .withConnectionTimeout(ANSWER_MAX_MILLIS)
                .withRequestTimeout(ANSWER_MAX_MILLIS)
                .withRequestRetryBackoffLimit(0)
                .build();
        String context = where.getCurrentContext() == null
                ? "this pod's account"
                : where.getCurrentContext().getName();
        var told = new CompletableFuture<List<Finding>>();
        // what a kubeconfig names as its source of credentials is a program, and may never end
        Thread.ofPlatform().daemon().name("cluster").start(() -> {
            try (var cluster = new KubernetesClientBuilder().withConfig(where).build()) {
                told.complete(new ClusterChecks(cluster, context, namespace).all());
            } catch (RuntimeException broken) {
                told.completeExceptionally(broken);
            }
        });
        try {
            return told.get(ALL_MAX_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException silent) {
            return List.of(silent(context, where.getMasterUrl()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    private static boolean isNamed(Map<String, String> environment) {
        if (environment.containsKey("KUBERNETES_SERVICE_HOST")) {
            return true;
        }
        String files = environment.getOrDefault("KUBECONFIG", "");
        String home = environment.getOrDefault("HOME", System.getProperty("user.home", "/"));
        return files.isEmpty()
                ? Files.isRegularFile(Path.of(home, ".kube", "config"))
                : Stream.of(files.split(":", -1)).anyMatch(file -> Files.isRegularFile(Path.of(file)));
    }

    /** The rest is not asked where the first has no answer. */
    List<Finding> all() {
        String version;
        try {
            version = Objects.requireNonNull(cluster.getKubernetesVersion(), "no version")
                    .getGitVersion();
        } catch (KubernetesClientException | NullPointerException away) {
            return List.of(silent(context, cluster.getMasterUrl().toString()));
        }
        return List.of(
                Finding.ok(NAME, context + ", " + version),
                asked("k8s rights", this::rights),
                asked("k8s storage", this::storage),
                asked("k8s DNS", this::dns));
    }

    private static Finding silent(String context, String url) {
        return Finding.note(
                NAME,
                "%s at %s does not answer%s.".formatted(context, url, ONLY),
                "kubectl version says why; kubectl config use-context chooses another.");
    }

    private static Finding asked(String name, Supplier<Finding> question) {
        try {
            return question.get();
        } catch (KubernetesClientException refused) {
            return Finding.note(
                    name,
                    refused.getCode() == FORBIDDEN
                            ? "This account may not ask that."
                            : "The cluster did not say: " + refused.getMessage(),
                    "Ask with an account that may, or whoever runs the cluster.");
        }
    }

    private Finding rights() {
        String missing = RIGHTS.stream()
                .flatMap(right -> right.verbs().stream()
                        .filter(verb -> !isAllowed(right, verb))
                        .map(verb -> verb + " " + right.resource()))
                .collect(Collectors.joining(", "));
        return missing.isEmpty()
                ? Finding.ok("k8s rights", "this account may do in " + namespace + " what the provisioner does")
                : Finding.note(
                        "k8s rights",
                        "In %s this account may not: %s.".formatted(namespace, missing),
                        "The provisioner needs it (k8s/base/provisioner-role.yaml), and so does who applies that file: ask whoever runs the cluster.");
    }

    private boolean isAllowed(Right right, String verb) {
        String[] resource = right.resource().split("/", 2);
        var review = new SelfSubjectAccessReviewBuilder()
                .withNewSpec()
                .withNewResourceAttributes()
                .withNamespace(namespace)
                .withGroup(right.group())
                .withResource(resource[0])
                .withSubresource(resource.length > 1 ? resource[1] : null)
                .withVerb(verb)
                .endResourceAttributes()
                .endSpec()
                .build();
        var answer = cluster.authorization()
                .v1()
                .selfSubjectAccessReview()
                .create(review)
                .getStatus();
        return answer != null && Boolean.TRUE.equals(answer.getAllowed());
    }

    private Finding storage() {
        var classes = cluster.storage().v1().storageClasses().list().getItems();
        var theDefault = classes.stream().filter(ClusterChecks::isDefault).findFirst();
        if (theDefault.isPresent()) {
            return Finding.ok("k8s storage", theDefault.get().getMetadata().getName() + " makes the folders of agents");
        }
        String there =
                classes.stream().map(each -> each.getMetadata().getName()).collect(Collectors.joining(", "));
        return Finding.note(
                "k8s storage",
                classes.isEmpty()
                        ? "There is no StorageClass: agents' folders are never made, and their pods wait."
                        : "No StorageClass is the default (" + there
                                + "): agents' folders are never made, and their pods wait.",
                "kubectl annotate storageclass NAME %s=true".formatted(DEFAULT_CLASS));
    }

    private static boolean isDefault(HasMetadata storage) {
        var annotations = storage.getMetadata().getAnnotations();
        return annotations != null && "true".equals(annotations.get(DEFAULT_CLASS));
    }

    /** Agents find the platform, and services each other, by name. */
    private Finding dns() {
        boolean answers = cluster
                .discovery()
                .v1()
                .endpointSlices()
                .inNamespace("kube-system")
                .withLabel("kubernetes.io/service-name", "kube-dns")
                .list()
                .getItems()
                .stream()
                .flatMap(slice -> slice.getEndpoints().stream())
                .anyMatch(endpoint -> endpoint.getConditions() == null
                        || !Boolean.FALSE.equals(endpoint.getConditions().getReady()));
        return answers
                ? Finding.ok("k8s DNS", "kube-dns answers in kube-system")
                : Finding.note(
                        "k8s DNS",
                        "Nothing is ready behind kube-dns in kube-system: agents do not find the platform, nor services each other.",
                        "kubectl -n kube-system get pods -l k8s-app=kube-dns");
    }
}
