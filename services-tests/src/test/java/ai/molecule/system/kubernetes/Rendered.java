package ai.molecule.system.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An overlay, or the base, as {@code kustomize build} would put it together: resources, patches merged into their targets, config
 * maps from literals (without the suffix that kustomize gives their names). Of strategic merging it knows mappings and the lists
 * that Kubernetes replaces whole; a patch with any other list is refused, because kustomize would merge it by some key.
 *
 * @param configMaps what generators made, by name
 * @param complaints what was wrong already then
 */
record Rendered(
        Path folder, List<HasMetadata> objects, Map<String, Map<String, String>> configMaps, List<String> complaints) {

    /** {@code x-kubernetes-list-type: atomic} in the API, for the kinds that are patched. */
    private static final Set<String> REPLACED_WHOLE = Set.of("accessModes", "egress", "ingress", "rules", "tls");

    static Rendered of(Path folder) throws IOException {
        var complaints = new ArrayList<String>();
        var documents = new LinkedHashMap<String, JsonNode>();
        var configMaps = new LinkedHashMap<String, Map<String, String>>();
        collect(folder, documents, configMaps, complaints);
        List<HasMetadata> objects = new ArrayList<>();
        documents.forEach((name, document) ->
                StrictModel.parse(name, document, complaints).ifPresent(objects::add));
        return new Rendered(folder, List.copyOf(objects), configMaps, complaints);
    }

    private static void collect(
            Path folder,
            Map<String, JsonNode> documents,
            Map<String, Map<String, String>> configMaps,
            List<String> complaints)
            throws IOException {
        var kustomization = Kustomization.read(folder);
        for (String resource : kustomization.resources()) {
            if (!resource.endsWith(".yaml")) {
                collect(folder.resolve(resource).normalize(), documents, configMaps, complaints);
                continue;
            }
            for (var document : Kustomization.documents(folder.resolve(resource))) {
                if (documents.put(nameOf(document), document) != null) {
                    complaints.add("%s stands twice".formatted(nameOf(document)));
                }
            }
        }
        for (var generator : kustomization.generators()) {
            boolean there = configMaps.containsKey(generator.name());
            if (there != generator.merges()) {
                complaints.add("the config map %s is %s".formatted(generator.name(), there ? "there" : "not there"));
            }
            configMaps
                    .computeIfAbsent(generator.name(), made -> new LinkedHashMap<>())
                    .putAll(generator.values());
        }
        for (var patch : kustomization.patchList()) {
            for (var document : Kustomization.documents(folder.resolve(patch.path()))) {
                if (documents.get(nameOf(document)) instanceof ObjectNode target) {
                    merge(nameOf(document), target, document, complaints);
                } else {
                    complaints.add("the patch %s has no target".formatted(nameOf(document)));
                }
            }
        }
    }

    private static void merge(String where, ObjectNode target, JsonNode patch, List<String> complaints) {
        patch.properties().forEach(field -> {
            var there = target.get(field.getKey());
            if (there instanceof ObjectNode deeper && field.getValue().isObject()) {
                merge(where + "." + field.getKey(), deeper, field.getValue(), complaints);
                return;
            }
            if (field.getValue().isArray() && !REPLACED_WHOLE.contains(field.getKey())) {
                complaints.add("%s.%s is a list that kustomize may merge otherwise".formatted(where, field.getKey()));
            }
            target.set(field.getKey(), field.getValue());
        });
    }

    private static String nameOf(JsonNode document) {
        return "%s %s/%s"
                .formatted(
                        document.path("kind").asText(),
                        document.path("metadata").path("namespace").asText(),
                        document.path("metadata").path("name").asText());
    }

    <T extends HasMetadata> Stream<T> all(Class<T> kind) {
        return objects.stream().filter(kind::isInstance).map(kind::cast);
    }

    <T extends HasMetadata> T get(Class<T> kind, String name) {
        return all(kind)
                .filter(object -> object.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no %s %s".formatted(kind.getSimpleName(), name)));
    }

    Deployment deployment(Served service) {
        return get(Deployment.class, service.deployment());
    }
}
