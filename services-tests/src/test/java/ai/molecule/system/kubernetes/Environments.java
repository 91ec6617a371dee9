package ai.molecule.system.kubernetes;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The environment that a service finds in its pod. What the pod mounts from secrets is there too, with contents of ours, so that a
 * service's own configuration can be read from it.
 */
final class Environments {

    static final String POD_IP = "10.244.1.7";

    private final Rendered rendered;
    private final Path files;
    private final Secrets secrets;

    /** @param files an empty folder for the mounted files */
    Environments(Rendered rendered, Path files, Secrets secrets) {
        this.rendered = rendered;
        this.files = files;
        this.secrets = secrets;
    }

    /** As the manifests say; complains where they refer to what is not there. */
    Map<String, String> written(Served service, List<String> complaints) {
        Map<String, String> variables = new HashMap<>();
        var pod = rendered.deployment(service).getSpec().getTemplate().getSpec();
        if (!Boolean.FALSE.equals(pod.getEnableServiceLinks())) {
            variables.putAll(links());
        }
        var container = pod.getContainers().getFirst();
        container.getEnvFrom().forEach(source -> {
            var map = rendered.configMaps().get(source.getConfigMapRef().getName());
            if (map == null) {
                complaints.add("%s: no config map %s"
                        .formatted(
                                service.deployment(), source.getConfigMapRef().getName()));
                return;
            }
            map.forEach((name, value) -> {
                if (variables.put(name, value) != null) {
                    complaints.add("%s: %s twice".formatted(service.deployment(), name));
                }
            });
        });
        container.getEnv().forEach(variable -> variables.put(variable.getName(), valueOf(variable)));
        return variables;
    }

    /** The same, with the files that are named there laid out in a folder of this machine. */
    Map<String, String> laidOut(Served service, List<String> complaints) throws IOException {
        var variables = written(service, complaints);
        var pod = rendered.deployment(service).getSpec().getTemplate().getSpec();
        for (var variable : variables.entrySet()) {
            if (variable.getKey().endsWith("_FILE")) {
                String content = mounted(pod, variable.getValue());
                if (content == null) {
                    complaints.add("%s: %s is %s, which nothing mounts"
                            .formatted(service.deployment(), variable.getKey(), variable.getValue()));
                    continue;
                }
                Path file =
                        files.resolve(service.deployment() + variable.getValue().replace('/', '_'));
                variable.setValue(Files.writeString(file, content).toString());
            }
        }
        return variables;
    }

    private @Nullable String mounted(PodSpec pod, String file) {
        return mountsOf(pod.getContainers().getFirst()).entrySet().stream()
                .filter(mount -> file.startsWith(mount.getKey() + "/"))
                .flatMap(mount -> pod.getVolumes().stream()
                        .filter(volume -> volume.getName().equals(mount.getValue()) && volume.getSecret() != null)
                        .map(volume -> secrets.find(
                                volume.getSecret().getSecretName(),
                                file.substring(mount.getKey().length() + 1))))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static Map<String, String> mountsOf(Container container) {
        Map<String, String> mounts = new HashMap<>();
        container.getVolumeMounts().forEach(mount -> mounts.put(mount.getMountPath(), mount.getName()));
        return mounts;
    }

    private static String valueOf(EnvVar variable) {
        if (variable.getValue() != null) {
            return variable.getValue();
        }
        return variable.getValueFrom() != null
                        && variable.getValueFrom().getFieldRef() != null
                        && "status.podIP"
                                .equals(variable.getValueFrom().getFieldRef().getFieldPath())
                ? POD_IP
                : "";
    }

    /** What the cluster sets for every service of the namespace, unless a pod asks it not to. */
    private Map<String, String> links() {
        Map<String, String> links = new HashMap<>();
        rendered.all(Service.class)
                .forEach(service -> links.put(
                        service.getMetadata().getName().toUpperCase(Locale.ROOT) + "_PORT", "tcp://10.96.0.1:80"));
        return links;
    }

    /** Remembers which variables were asked for. */
    static final class Asked extends HashMap<String, String> {

        private static final long serialVersionUID = 1;

        private final Set<String> names = new HashSet<>();

        Asked(Map<String, String> variables) {
            super(variables);
        }

        @Override
        public @Nullable String get(Object name) {
            names.add((String) name);
            return super.get(name);
        }

        Set<String> names() {
            return names;
        }
    }
}
