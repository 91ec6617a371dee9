package ai.molecule.system.kubernetes;

import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Service;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What names and ports lead to. */
final class Addresses {

    static final int NONE = -1;

    private final Rendered rendered;

    Addresses(Rendered rendered) {
        this.rendered = rendered;
    }

    /** By its name in DNS, {@code name.namespace.svc}. */
    @Nullable
    Service named(String host) {
        return rendered.all(Service.class)
                .filter(service -> host.equals("%s.%s.svc"
                        .formatted(
                                service.getMetadata().getName(),
                                service.getMetadata().getNamespace())))
                .findFirst()
                .orElse(null);
    }

    boolean selects(Service service, Served served) {
        var template = template(served);
        return !service.getSpec().getSelector().isEmpty()
                && service.getMetadata()
                        .getNamespace()
                        .equals(rendered.deployment(served).getMetadata().getNamespace())
                && matches(service.getSpec().getSelector(), template);
    }

    static boolean matches(Map<String, String> selector, PodTemplateSpec template) {
        return template.getMetadata().getLabels().entrySet().containsAll(selector.entrySet());
    }

    int containerPort(Served service, String name) {
        return containerPort(template(service), name);
    }

    static int containerPort(PodTemplateSpec template, String name) {
        return template.getSpec().getContainers().getFirst().getPorts().stream()
                .filter(port -> name.equals(port.getName()))
                .map(ContainerPort::getContainerPort)
                .findFirst()
                .orElse(NONE);
    }

    /** Of the pods behind a port of a service; {@link #NONE} when they have no such port. */
    int targetPort(Service service, int port) {
        return service.getSpec().getPorts().stream()
                .filter(offered -> offered.getPort() == port)
                .map(offered -> resolve(service, offered.getTargetPort()))
                .findFirst()
                .orElse(NONE);
    }

    private int resolve(Service service, @Nullable IntOrString target) {
        if (target == null || target.getStrVal() == null) {
            return NONE; // ours go by name
        }
        return PodTemplates.of(rendered)
                .filter(template -> matches(service.getSpec().getSelector(), template))
                .map(template -> containerPort(template, target.getStrVal()))
                .findFirst()
                .orElse(NONE);
    }

    boolean writable(Served service, Path folder) {
        var pod = template(service).getSpec();
        return pod.getContainers().getFirst().getVolumeMounts().stream()
                .filter(mount -> folder.startsWith(mount.getMountPath()) && !Boolean.TRUE.equals(mount.getReadOnly()))
                .anyMatch(mount -> pod.getVolumes().stream()
                        .anyMatch(volume -> volume.getName().equals(mount.getName())
                                && (volume.getEmptyDir() != null || volume.getPersistentVolumeClaim() != null)));
    }

    private PodTemplateSpec template(Served service) {
        return rendered.deployment(service).getSpec().getTemplate();
    }
}
