package ai.molecule.system.kubernetes;

import ai.molecule.provisioner.containers.ImageNames;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** What a pod is made of: the restricted pod security standard and then some, probes that the routers know, the built images. */
final class PodChecks {

    /** What the Dockerfiles make files for. */
    private static final long OUR_USER = 10_001;

    private static final Set<String> WRITABLE = Set.of("tmp", "files");

    private final Rendered rendered;
    private final Path root;
    private final Secrets secrets;
    private final List<String> complaints = new ArrayList<>();

    private PodChecks(Rendered rendered, Path root, Secrets secrets) {
        this.rendered = rendered;
        this.root = root;
        this.secrets = secrets;
    }

    /** @param root of the project, for what the pods are made from */
    static List<String> of(Rendered rendered, Path root, Secrets secrets) throws IOException {
        var checks = new PodChecks(rendered, root, secrets);
        PodTemplates.of(rendered).forEach(checks::pod);
        for (var service : Served.values()) {
            checks.service(service);
        }
        return checks.complaints;
    }

    private void pod(PodTemplateSpec template) {
        var pod = template.getSpec();
        var container = pod.getContainers().getFirst();
        String name = container.getName();
        expect(
                name,
                "has one container",
                pod.getContainers().size() == 1 && pod.getInitContainers().isEmpty());
        var context = pod.getSecurityContext();
        expect(
                name,
                "runs as a user that is not root",
                Boolean.TRUE.equals(context.getRunAsNonRoot()) && !Objects.equals(context.getRunAsUser(), 0L));
        expect(
                name,
                "can read what is mounted for its group",
                Objects.equals(context.getFsGroup(), context.getRunAsGroup()));
        expect(
                name,
                "has seccomp",
                context.getSeccompProfile() != null
                        && "RuntimeDefault".equals(context.getSeccompProfile().getType()));
        expect(name, "is no part of its host", !anyTrue(pod.getHostNetwork(), pod.getHostPID(), pod.getHostIPC()));
        expect(name, "is told of no other service", Boolean.FALSE.equals(pod.getEnableServiceLinks()));
        security(name, container);
        resources(name, container);
        volumes(name, pod, container);
    }

    private void security(String name, Container container) {
        var context = container.getSecurityContext();
        expect(name, "cannot gain privileges", Boolean.FALSE.equals(context.getAllowPrivilegeEscalation()));
        expect(name, "is not privileged", !anyTrue(context.getPrivileged()));
        expect(name, "cannot write to its image", Boolean.TRUE.equals(context.getReadOnlyRootFilesystem()));
        expect(
                name,
                "has no capability",
                context.getCapabilities().getDrop().equals(List.of("ALL"))
                        && context.getCapabilities().getAdd().isEmpty());
    }

    private void resources(String name, Container container) {
        var resources = container.getResources();
        expect(name, "asks for a processor", resources.getRequests().containsKey("cpu"));
        expect(
                name,
                "has the memory it asks for and no more",
                resources.getLimits().containsKey("memory")
                        && resources
                                .getLimits()
                                .get("memory")
                                .equals(resources.getRequests().get("memory")));
    }

    private void volumes(String name, PodSpec pod, Container container) {
        pod.getVolumes().forEach(volume -> {
            if (volume.getSecret() != null) {
                String secret = volume.getSecret().getSecretName();
                expect(
                        name,
                        "mounts secrets that one is told to create: " + secret,
                        secrets.keys().containsKey(secret));
                expect(
                        name,
                        "keeps secrets from others",
                        Objects.equals(volume.getSecret().getDefaultMode(), 0440));
            } else if (volume.getEmptyDir() != null) {
                expect(name, "bounds " + volume.getName(), volume.getEmptyDir().getSizeLimit() != null);
            } else if (volume.getConfigMap() != null) {
                String map = volume.getConfigMap().getName();
                expect(
                        name,
                        "mounts config maps that are there: " + map,
                        rendered.all(ConfigMap.class)
                                .anyMatch(there -> there.getMetadata().getName().equals(map)));
            } else {
                expect(name, "has volumes of known kinds", volume.getPersistentVolumeClaim() != null);
            }
        });
        var defined = Stream.concat(pod.getVolumes().stream().map(volume -> volume.getName()), Stream.of("data"))
                .toList();
        container
                .getVolumeMounts()
                .forEach(mount -> expect(name, "mounts volumes that are there", defined.contains(mount.getName())));
    }

    private void service(Served service) throws IOException {
        String name = service.deployment();
        var pod = rendered.deployment(service).getSpec().getTemplate().getSpec();
        var container = pod.getContainers().getFirst();
        expect(
                name,
                "runs as the image's user",
                Objects.equals(pod.getSecurityContext().getRunAsUser(), OUR_USER));
        account(service, pod);
        container.getVolumeMounts().stream()
                .filter(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
                .forEach(
                        mount -> expect(name, "writes to /tmp and its files only", WRITABLE.contains(mount.getName())));
        image(service, container);
        var routes = Files.readAllLines(
                root.resolve("services-tests/src/test/resources/ai/molecule/system/routes/routes.txt"));
        probe(name, "starts up", container.getStartupProbe(), "/health", routes);
        probe(name, "lives", container.getLivenessProbe(), "/health", routes);
        probe(name, "is ready", container.getReadinessProbe(), "/ready", routes);
    }

    /** Only the provisioner may ask the cluster for anything. */
    private void account(Served service, PodSpec pod) {
        String name = service.deployment();
        expect(name, "has an account of its own", name.equals(pod.getServiceAccountName()));
        expect(
                name,
                "has an account that exists, without a token for whoever forgets to refuse it",
                rendered.all(ServiceAccount.class)
                        .anyMatch(account -> account.getMetadata().getName().equals(name)
                                && Boolean.FALSE.equals(account.getAutomountServiceAccountToken())));
        expect(
                name,
                "has a token of the cluster if it needs one",
                Objects.equals(pod.getAutomountServiceAccountToken(), service == Served.PROVISIONER));
    }

    /** Called like the module it is built from, of the same version as the agents' images. */
    private void image(Served service, Container container) throws IOException {
        String agents = ImageNames.fromEnv(Map.of()).of("echo");
        String image = "molecule/" + service.module() + agents.substring(agents.lastIndexOf(':'));
        expect(service.deployment(), "runs " + image, image.equals(container.getImage()));
        var dockerfile = root.resolve(service.module()).resolve("Dockerfile");
        if (Files.exists(dockerfile)) {
            String built = Files.readString(dockerfile);
            expect(
                    service.deployment(),
                    "runs what its Dockerfile says to build",
                    built.contains("docker build -t " + container.getImage() + " "));
            expect(
                    service.deployment(),
                    "runs as its Dockerfile's user",
                    built.contains("\nUSER %d:%d\n".formatted(OUR_USER, OUR_USER)));
        }
    }

    private void probe(String name, String does, Probe probe, String path, List<String> routes) {
        var get = probe == null ? null : probe.getHttpGet();
        expect(
                name,
                "says that it " + does,
                get != null
                        && path.equals(get.getPath())
                        && "http".equals(get.getPort().getStrVal())
                        && routes.contains("%s GET %s open 200".formatted(name, path)));
    }

    private static boolean anyTrue(Boolean... settings) {
        return Stream.of(settings).anyMatch(Boolean.TRUE::equals);
    }

    private void expect(String pod, String does, boolean holds) {
        if (!holds) {
            complaints.add("it does not hold that %s %s".formatted(pod, does));
        }
    }
}
