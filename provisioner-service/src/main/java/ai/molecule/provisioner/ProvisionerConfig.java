package ai.molecule.provisioner;

import ai.molecule.common.cluster.ClusterConfig;
import ai.molecule.common.config.Env;
import ai.molecule.common.config.Environment;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.provisioner.backend.AgentDefaults;
import ai.molecule.provisioner.backend.BackendKind;
import ai.molecule.provisioner.backend.FilesQuota;
import ai.molecule.provisioner.backend.FreePorts;
import ai.molecule.provisioner.containers.Tier;
import ai.molecule.provisioner.docker.DockerSettings;
import ai.molecule.provisioner.kubernetes.KubernetesSettings;
import ai.molecule.provisioner.organisations.OrgSettings;
import ai.molecule.provisioner.plugins.PluginSettings;
import ai.molecule.provisioner.process.ProcessSettings;
import ai.molecule.provisioner.reconcile.ProvisioningTimeout;
import ai.molecule.provisioner.reconcile.ReconcileSettings;
import ai.molecule.provisioner.reconcile.RestartSchedule;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Everything the provisioner reads from its environment.
 *
 * @param port {@code PROVISIONER_PORT}, default 8083; 0 lets the system choose
 * @param backend {@code MOLECULE_BACKEND}: process, docker, kubernetes or none, default none
 * @param templates {@code CONFIGS_DIR}, default {@code templates} in the data folder: what workspaces are made from
 * @param process for the process backend: {@code MOLECULE_DATA} (required with it), {@code MOLECULE_RUNTIME_JAR} (required with
 *     it), {@code PLATFORM_URL} (default http://127.0.0.1:8080), {@code MOLECULE_AGENT_HOST} (default 127.0.0.1; required
 *     in a cluster beyond loopback), {@code MOLECULE_AGENT_LIFELINE}, {@code PATH}, {@code LANG},
 *     {@code MOLECULE_HEARTBEAT_SECONDS} (default 30), {@code MOLECULE_STOP_SECONDS} (default 5),
 *     {@code MOLECULE_AGENT_UIDS} (default none, as root in production {@link PlatformConfig#AGENT_UIDS_DEFAULT}). In production and not as root it is
 *     refused, unless {@code MOLECULE_TRUST_AGENTS} is {@code 1}
 * @param docker for the docker backend: see {@link DockerSettings}
 * @param kubernetes for the kubernetes backend: see {@link KubernetesSettings}
 * @param reconcile {@code MOLECULE_SWEEP_SECONDS} (default 15), {@code PROVISION_TIMEOUT_SECONDS} (default 600, for hermes 1800),
 *     and what agents get that have nothing of their own: {@code AWARENESS_URL}, {@code WORKSPACE_DIR}
 * @param organisations see {@link OrgSettings}
 * @param quota see {@link FilesQuota.Limits}
 * @param childrenMax {@code MOLECULE_CHILDREN_MAX}, default 200: agents below one, for it to be expanded
 * @param plugins see {@link PluginSettings}
 * @param ports {@code MOLECULE_AGENT_PORTS}, default 20000-31999: where agents listen, as processes and in containers of this machine
 */
public record ProvisionerConfig(
        PlatformConfig platform,
        int port,
        BackendKind backend,
        Path templates,
        ProcessSettings process,
        DockerSettings docker,
        KubernetesSettings kubernetes,
        ReconcileSettings reconcile,
        OrgSettings organisations,
        FilesQuota.Limits quota,
        int childrenMax,
        PluginSettings plugins,
        FreePorts ports) {

    private static final String AGENT_HOST = "MOLECULE_AGENT_HOST";
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9.:-]{1,253}");
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");
    private static final Set<String> ANY = Set.of("0.0.0.0", "::");

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static ProvisionerConfig fromEnv(Map<String, String> variables) {
        return fromEnv(variables, "root".equals(System.getProperty("user.name")));
    }

    static ProvisionerConfig fromEnv(Map<String, String> variables, boolean root) {
        var env = new Env(variables);
        var backend = BackendKind.of(env.find("MOLECULE_BACKEND"));
        if (backend == BackendKind.PROCESS) {
            env.required("MOLECULE_DATA");
            env.required("MOLECULE_RUNTIME_JAR");
        }
        var data = Path.of(env.text("MOLECULE_DATA", ".molecule")).toAbsolutePath();
        var templates = Objects.requireNonNullElse(absolute(env.find("CONFIGS_DIR")), data.resolve("templates"));
        var plugins = PluginSettings.fromEnv(env);
        var platform = PlatformConfig.fromEnv(variables);
        return new ProvisionerConfig(
                platform,
                env.port("PROVISIONER_PORT", 8083),
                backend,
                templates,
                new ProcessSettings(
                        data,
                        absolute(env.find("MOLECULE_RUNTIME_JAR")),
                        env.text("PLATFORM_URL", "http://127.0.0.1:8080"),
                        agentHost(env, backend, platform.cluster()),
                        absolute(env.find("MOLECULE_AGENT_LIFELINE")),
                        env.text("PATH", "/usr/local/bin:/usr/bin:/bin"),
                        env.text("LANG", "C.UTF-8"),
                        env.seconds("MOLECULE_HEARTBEAT_SECONDS", 30),
                        env.seconds("MOLECULE_STOP_SECONDS", 5),
                        backend == BackendKind.PROCESS ? uids(env, platform, root) : null,
                        Tier.fromEnv(env),
                        cgroups(env.text("MOLECULE_CGROUPS", "auto"))),
                DockerSettings.fromEnv(backend == BackendKind.DOCKER ? env : new Env(Map.of())),
                KubernetesSettings.fromEnv(env),
                new ReconcileSettings(
                        env.seconds("MOLECULE_SWEEP_SECONDS", 15),
                        ProvisioningTimeout.fromEnv(env),
                        RestartSchedule.STANDARD,
                        AgentDefaults.fromEnv(env, platform.environment())),
                OrgSettings.fromEnv(env, templates, plugins.registry(), variables),
                FilesQuota.Limits.fromEnv(env),
                (int) env.integer("MOLECULE_CHILDREN_MAX", 200, 1, 10_000),
                plugins,
                FreePorts.fromEnv(env));
    }

    /**
     * Agents that listen on loopback are reached by services of the same machine only: those of another would ask whoever listens on that port
     * there, and the registry would have agents restarted that live.
     */
    private static String agentHost(Env env, BackendKind backend, ClusterConfig cluster) {
        String host = env.find(AGENT_HOST);
        if (host != null && (!HOST.matcher(host).matches() || ANY.contains(host))) {
            throw new IllegalArgumentException(
                    AGENT_HOST + " must be one address or name of this machine by which the other services reach it");
        }
        boolean severalMachines = cluster.mode() != ClusterConfig.Mode.NONE && !LOOPBACK.contains(cluster.host());
        boolean published =
                backend == BackendKind.DOCKER && !DockerSettings.fromEnv(env).inNetwork();
        if (severalMachines && backend == BackendKind.PROCESS && host == null) {
            throw new IllegalArgumentException(
                    "with MOLECULE_CLUSTER_HOST beyond loopback services of other machines cannot reach agents of MOLECULE_BACKEND=process,"
                            + " which listen on 127.0.0.1; set MOLECULE_AGENT_HOST to the address of this machine, or to 127.0.0.1"
                            + " when all services are on it (docs/cluster.md)");
        }
        if (severalMachines && published) {
            throw new IllegalArgumentException(
                    "with MOLECULE_CLUSTER_HOST beyond loopback services of other machines cannot reach agents of MOLECULE_BACKEND=docker"
                            + " at ports that are published on 127.0.0.1; set MOLECULE_DOCKER_DIAL=network with all services in the agents'"
                            + " network, or use MOLECULE_BACKEND=kubernetes (docs/cluster.md)");
        }
        return host == null ? "127.0.0.1" : host;
    }

    private static boolean cgroups(String wish) {
        return switch (wish) {
            case "auto" -> true;
            case "off" -> false;
            default -> throw new IllegalArgumentException("MOLECULE_CGROUPS must be auto or off");
        };
    }

    /** An agent that is the platform's own user reads its keys: in production that takes somebody's word. */
    private static @Nullable Integer uids(Env env, PlatformConfig platform, boolean root) {
        boolean own = platform.environment() == Environment.PRODUCTION && !platform.trustsAgents();
        if (env.find(PlatformConfig.AGENT_UIDS) == null) {
            if (own && !root) {
                throw new IllegalArgumentException(
                        "in production agents are users of their own, for which MOLECULE_BACKEND=process needs root;"
                                + " use containers, or trust all agents with the platform's keys: MOLECULE_TRUST_AGENTS=1"
                                + " (./molecule up --trust-agents)");
            }
            return own ? platform.agentUids() : null;
        }
        if (!root) {
            throw new IllegalArgumentException("MOLECULE_AGENT_UIDS needs root");
        }
        return platform.agentUids();
    }

    private static @Nullable Path absolute(@Nullable String path) {
        return path == null ? null : Path.of(path).toAbsolutePath();
    }
}
