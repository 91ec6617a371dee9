package ai.molecule.provisioner.kubernetes;

import ai.molecule.provisioner.backend.AgentEnvironment;
import ai.molecule.provisioner.backend.InitialFiles;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.containers.Tar;
import ai.molecule.provisioner.containers.Tier;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is created for a workspace. All of it passes the {@code restricted} pod security standard: no root, no capability, no
 * privilege whatever the tier, no service account token.
 */
record Manifests(KubernetesSettings settings) {

    /** Of the container an agent runs in. */
    static final String AGENT = "agent";

    /** Where every agent listens inside its pod; its service listens where the workspace's port says. */
    static final int AGENT_PORT = 8000;

    /** Where the token is mounted: from memory, and for the agent's user only. */
    private static final String TOKEN_FOLDER = "/run/molecule";

    private static final String TOKEN_FILE = ".auth_token";
    private static final String VOLUME = "files";
    private static final String TOKEN_VOLUME = "token";

    /** Of the container that lays initial files, and of the volume they come in. */
    static final String INITIAL = "initial";

    private static final String INITIAL_FOLDER = "/run/molecule-initial";
    private static final String INITIAL_FILE = "files.tar";
    private static final String TMP = "tmp";
    private static final String TMP_MAX = "64Mi";

    /** Of the pod that opens files: it waits for us this long at most, should we never come back to end it. */
    private static final long FILES_POD_SECONDS = 120;

    PersistentVolumeClaim claim(PodNames names) {
        return new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(names.name())
                .withLabels(names.labels())
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withNewResources()
                .withRequests(Map.of("storage", new Quantity(settings.volumeSize())))
                .endResources()
                .endSpec()
                .build();
    }

    /** The token and the workspace's secrets; the pod refers to them and holds none itself. */
    Secret secret(PodNames names, Launch launch) {
        Map<String, String> data = new HashMap<>(AgentEnvironment.secretsOf(launch));
        data.put(TOKEN_FILE, launch.token());
        return new SecretBuilder()
                .withNewMetadata()
                .withName(names.name())
                .withLabels(names.labels())
                .endMetadata()
                .withType("Opaque")
                .withStringData(data)
                .build();
    }

    /** A part of the pod only, for as long as it begins. */
    Secret initial(PodNames names, InitialFiles initial) {
        var tar = new Tar(settings.uid());
        initial.files()
                .forEach((path, content) -> tar.file(
                        path.toString(),
                        content.getBytes(),
                        WorkspaceFiles.isProgram(content.getBytes()) ? Tar.FOLDER_MODE : Tar.FILE_MODE));
        return new SecretBuilder()
                .withNewMetadata()
                .withName(names.initial())
                .withLabels(names.labels())
                .endMetadata()
                .withType("Opaque")
                .withData(Map.of(
                        INITIAL_FILE,
                        Base64.getEncoder().encodeToString(tar.finish().getBytes())))
                .build();
    }

    /** A name and an address that stay while pods come and go. */
    Service service(PodNames names, int port) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withName(names.name())
                .withLabels(names.labels())
                .endMetadata()
                .withNewSpec()
                .withSelector(Map.of(PodNames.ID, names.workspaceId().toString()))
                .addNewPort()
                .withName("a2a")
                .withPort(port)
                .withTargetPort(new IntOrString(AGENT_PORT))
                .endPort()
                .endSpec()
                .build();
    }

    Pod agent(PodNames names, Launch launch) {
        var workspace = launch.workspace();
        var agent = container(
                        AGENT, settings.images().of(workspace.runtime()), Tier.of(settings.tiers(), workspace.tier()))
                .withEnv(environment(names, launch))
                .withPorts()
                .addNewPort()
                .withName("a2a")
                .withContainerPort(AGENT_PORT)
                .endPort()
                .addToVolumeMounts(mount(TOKEN_VOLUME, TOKEN_FOLDER, null, true))
                .build();
        var pod = pod(names, names.name(), names.podLabels(workspace), agent);
        if (launch.initial() != null) {
            pod.editSpec()
                    .withInitContainers(laying(launch, launch.initial()))
                    .addNewVolume()
                    .withName(INITIAL)
                    .withNewSecret()
                    .withSecretName(names.initial())
                    .withDefaultMode(0440)
                    .endSecret()
                    .endVolume()
                    .endSpec();
        }
        return pod.editSpec()
                .addNewVolume()
                .withName(TOKEN_VOLUME)
                .withNewSecret()
                .withSecretName(names.name())
                .withDefaultMode(0440)
                .addNewItem()
                .withKey(TOKEN_FILE)
                .withPath(TOKEN_FILE)
                .endItem()
                .endSecret()
                .endVolume()
                .endSpec()
                .build();
    }

    private Container laying(Launch launch, InitialFiles initial) {
        var workspace = launch.workspace();
        return container(
                        INITIAL, settings.images().of(workspace.runtime()), Tier.of(settings.tiers(), workspace.tier()))
                .withCommand("sh", "-c", Scripts.INITIAL)
                .withEnv(
                        new EnvVar("CONFIGS_DIR", folder(Root.CONFIGS), null),
                        new EnvVar("HOME", folder(Root.HOME), null),
                        new EnvVar("INITIAL", INITIAL_FOLDER + "/" + INITIAL_FILE, null),
                        new EnvVar("FRESH_SESSIONS", initial.freshSessions() ? "1" : "", null),
                        new EnvVar("MISSING", Objects.requireNonNullElse(initial.missing(), ""), null))
                .addToVolumeMounts(mount(INITIAL, INITIAL_FOLDER, null, true))
                .build();
    }

    /** A pod that only waits, with the workspace's volume. It has neither the token nor the agent's labels, so nobody reaches it. */
    Pod files(PodNames names) {
        var waiting = container(AGENT, settings.images().of("echo"), Tier.of(settings.tiers(), 1))
                .withCommand("sleep", String.valueOf(FILES_POD_SECONDS))
                .build();
        return pod(names, names.filesPod(), names.filesLabels(), waiting)
                .editSpec()
                .withActiveDeadlineSeconds(FILES_POD_SECONDS)
                .endSpec()
                .build();
    }

    private PodBuilder pod(PodNames names, String name, Map<String, String> labels, Container container) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never") // the platform is the only restarter
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withTerminationGracePeriodSeconds(settings.stopGrace().toSeconds())
                .withNewSecurityContext()
                .withRunAsNonRoot(true)
                .withRunAsUser((long) settings.uid())
                .withRunAsGroup((long) settings.uid())
                .withFsGroup((long) settings.uid())
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .endSecurityContext()
                .withContainers(container)
                .withImagePullSecrets(settings.pullSecrets().stream()
                        .map(LocalObjectReference::new)
                        .toList())
                .addNewVolume()
                .withName(VOLUME)
                .withNewPersistentVolumeClaim(names.name(), false)
                .endVolume()
                .addNewVolume()
                .withName(TMP)
                .withNewEmptyDir()
                .withSizeLimit(new Quantity(TMP_MAX))
                .endEmptyDir()
                .endVolume()
                .endSpec();
    }

    /** One without a registry in its name is never looked for on a public one; a node has it, or the pod says that it has not. */
    private ContainerBuilder container(String name, String image, Tier tier) {
        var mounts = Stream.concat(
                        Arrays.stream(Root.values()).map(root -> mount(VOLUME, folder(root), subPath(root), false)),
                        Stream.of(mount(TMP, "/tmp", null, false)))
                .toList();
        return new ContainerBuilder()
                .withName(name)
                .withImage(image)
                .withImagePullPolicy(settings.images().mayBePulled(image) ? "IfNotPresent" : "Never")
                .withSecurityContext(UNPRIVILEGED)
                .withResources(resources(tier))
                .withVolumeMounts(mounts);
    }

    private static final SecurityContext UNPRIVILEGED = new SecurityContextBuilder()
            .withAllowPrivilegeEscalation(false)
            .withReadOnlyRootFilesystem(true)
            .withNewCapabilities()
            .withDrop("ALL")
            .endCapabilities()
            .build();

    private static ResourceRequirements resources(Tier tier) {
        var memory = new Quantity(tier.memoryMb() + "Mi");
        var cpu = new Quantity(tier.cpuShares() * 1000 / 1024 + "m");
        return new ResourceRequirementsBuilder()
                .withRequests(Map.of("memory", memory, "cpu", new Quantity("50m")))
                .withLimits(Map.of("memory", memory, "cpu", cpu))
                .build();
    }

    /** Plain values for what is no secret, references for what is. */
    private List<EnvVar> environment(PodNames names, Launch launch) {
        var place = new AgentEnvironment(
                Map.of("HOME", folder(Root.HOME), "PLUGINS_DIR", folder(Root.PLUGINS)),
                TOKEN_FOLDER,
                settings.platformUrl(),
                "0.0.0.0",
                settings.heartbeat());
        var env = new HashMap<>(place.of(launch, AGENT_PORT));
        env.put("WORKSPACE_CONFIG_PATH", folder(Root.CONFIGS));
        var secrets = AgentEnvironment.secretsOf(launch);
        return env.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> Objects.equals(secrets.get(entry.getKey()), entry.getValue())
                        ? reference(names, entry.getKey())
                        : new EnvVar(entry.getKey(), entry.getValue(), null))
                .toList();
    }

    private static EnvVar reference(PodNames names, String key) {
        return new EnvVarBuilder()
                .withName(key)
                .withNewValueFrom()
                .withNewSecretKeyRef(key, names.name(), false)
                .endValueFrom()
                .build();
    }

    private static VolumeMount mount(String volume, String path, @Nullable String subPath, boolean readOnly) {
        return new VolumeMountBuilder()
                .withName(volume)
                .withMountPath(path)
                .withSubPath(subPath)
                .withReadOnly(readOnly)
                .build();
    }

    /** Where an agent sees a root. */
    static String folder(Root root) {
        return "/" + subPath(root);
    }

    private static String subPath(Root root) {
        return root.name().toLowerCase(Locale.ROOT);
    }
}
