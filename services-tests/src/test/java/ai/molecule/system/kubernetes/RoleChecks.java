package ai.molecule.system.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** That a PostgreSQL of ours has another superuser than the platform, and makes the platform's role as everywhere. */
final class RoleChecks {

    /** What is mounted by compose as well. */
    static final Path SCRIPT = Manifests.ROOT.resolve("docker/postgres-roles.sql");

    /** Where the image looks for what it runs once, and its superuser unless POSTGRES_USER names another. */
    static final String SCRIPTS_FOLDER = "/docker-entrypoint-initdb.d";

    static final String SUPERUSER_DEFAULT = "postgres";

    private RoleChecks() {}

    static List<String> of(Rendered rendered, Secrets secrets) throws IOException {
        var complaints = new ArrayList<String>();
        String url = Objects.requireNonNull(secrets.find("molecule", "database-url"), "nobody is told of the database");
        String script = Files.readString(SCRIPT);
        PodTemplates.of(rendered).map(PodTemplateSpec::getSpec).forEach(pod -> {
            var container = pod.getContainers().getFirst();
            if (!container.getImage().startsWith("postgres:")) {
                return;
            }
            if (userOf(url).equals(superuser(container))) {
                complaints.add("%s is the superuser of %s".formatted(userOf(url), container.getName()));
            }
            if (!scripts(rendered, pod, container).equals(List.of(script))) {
                complaints.add("%s does not run docker/postgres-roles.sql".formatted(container.getName()));
            }
        });
        return complaints;
    }

    static String userOf(String url) {
        return URI.create(url).getUserInfo().split(":", 2)[0];
    }

    private static String superuser(Container container) {
        return container.getEnv().stream()
                .filter(variable -> variable.getName().equals("POSTGRES_USER"))
                .map(EnvVar::getValue)
                .findFirst()
                .orElse(SUPERUSER_DEFAULT);
    }

    private static List<String> scripts(Rendered rendered, PodSpec pod, Container container) {
        return container.getVolumeMounts().stream()
                .filter(mount -> mount.getMountPath().equals(SCRIPTS_FOLDER))
                .flatMap(mount -> pod.getVolumes().stream()
                        .filter(volume -> volume.getName().equals(mount.getName()) && volume.getConfigMap() != null))
                .flatMap(volume -> rendered.all(ConfigMap.class)
                        .filter(map -> map.getMetadata()
                                .getName()
                                .equals(volume.getConfigMap().getName())))
                .flatMap(map -> map.getData().values().stream())
                .toList();
    }
}
