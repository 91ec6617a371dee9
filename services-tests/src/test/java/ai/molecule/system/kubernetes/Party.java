package ai.molecule.system.kubernetes;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who may be at an end of a connection.
 *
 * @param namespace null for an address that is no pod's
 * @param address as good as any other of its kind
 */
record Party(String name, @Nullable String namespace, Map<String, String> labels, String address) {

    static final String PLATFORM = "molecule";
    static final String AGENTS = "molecule-agents";

    /** An agent without a parent: those may talk to each other. */
    private static final Party AGENT = new Party(
            "agents",
            AGENTS,
            Map.of("molecule.ai/managed", "true", "molecule.ai/id", "1", "molecule.ai/parent", "none"),
            "10.244.2.1");

    /** The same once a person cut it off. */
    private static final Party QUARANTINED = new Party(
            "quarantined",
            AGENTS,
            Map.of(
                    "molecule.ai/managed",
                    "true",
                    "molecule.ai/id",
                    "3",
                    "molecule.ai/parent",
                    "none",
                    "molecule.ai/quarantined",
                    "true"),
            "10.244.2.3");

    /** The pod that opens an agent's volume. */
    private static final Party FILES = new Party("files", AGENTS, Map.of("molecule.ai/managed", "files"), "10.244.2.2");

    private static final Party INGRESS = new Party("ingress", "any-ingress", Map.of("a", "b"), "10.244.3.1");
    private static final Party METRICS = new Party("metrics", "any-metrics", Map.of("a", "b"), "10.244.3.2");
    private static final Party NAMES = new Party("names", "kube-system", Map.of("k8s-app", "kube-dns"), "10.244.0.2");
    private static final Party STRANGER = new Party("stranger", "default", Map.of("a", "b"), "10.244.3.3");
    private static final Party INTERNET = new Party("internet", null, Map.of(), "8.8.8.8");
    private static final Party INSIDE = new Party("inside", null, Map.of(), "10.1.2.3");
    private static final Party MACHINE = new Party("machine", null, Map.of(), "169.254.169.254");

    private static final Map<String, Map<String, String>> NAMESPACE_LABELS = Map.of(
            "any-ingress", Map.of("molecule.ai/ingress", "true"), "any-metrics", Map.of("molecule.ai/metrics", "true"));

    /** All of them: the pods of the platform and everybody else. */
    static List<Party> of(Rendered rendered) {
        var ours = PodTemplates.of(rendered)
                .map(template -> new Party(
                        template.getSpec().getContainers().getFirst().getName(),
                        PLATFORM,
                        template.getMetadata().getLabels(),
                        "10.244.1.1"));
        var others = Stream.of(AGENT, QUARANTINED, FILES, INGRESS, METRICS, NAMES, STRANGER, INTERNET, INSIDE, MACHINE);
        return Stream.concat(ours, others).toList();
    }

    /** Whether the table speaks of it one by one: not when it is just anybody. */
    boolean isAnybody() {
        return List.of(INGRESS, METRICS, NAMES, STRANGER, INTERNET, INSIDE, MACHINE)
                .contains(this);
    }

    boolean isPod() {
        return namespace != null;
    }

    Map<String, String> namespaceLabels() {
        if (namespace == null) {
            return Map.of();
        }
        var labels = new java.util.HashMap<>(NAMESPACE_LABELS.getOrDefault(namespace, Map.of()));
        labels.put("kubernetes.io/metadata.name", namespace);
        return labels;
    }
}
