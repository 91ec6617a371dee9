package ai.molecule.cli.up;

import ai.molecule.cli.data.ClusterSecrets;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.Secrets;
import ai.molecule.common.config.DatabaseUrl;
import ai.molecule.common.net.SharedPorts;
import ai.molecule.provisioner.docker.DockerSettings;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The environment each service is configured from. What the user set in his own environment passes through (keys of model
 * providers, CORS_ORIGINS, a database); what this launcher decides (ports, addresses, folders) replaces it.
 *
 * @param user the launcher's own environment
 * @param databaseUrl of the embedded server, unless the user named one
 * @param redisUrl likewise; empty: the services do without
 */
record PlatformEnvironment(
        UpOptions options,
        DataFolder data,
        Secrets secrets,
        Map<String, String> user,
        String databaseUrl,
        String redisUrl,
        Path runtimeJar) {

    private static final String AGENTS_PORT = "MOLECULE_AGENTS_PORT";
    private static final String AGENTS_BIND = "MOLECULE_AGENTS_BIND";

    /**
     * In production agents that are processes come in at a port of their own, by the agents' door; unless the user says where agents come in.
     *
     * @param freePort for it
     */
    static Map<String, String> withAgentsDoor(Map<String, String> user, UpOptions options, int freePort) {
        boolean wanted = options.backend() == UpOptions.Backend.PROCESS && options.mode() == UpOptions.Mode.PRODUCTION;
        if (!wanted || user.containsKey(AGENTS_BIND) || user.containsKey(AGENTS_PORT)) {
            return user;
        }
        var env = new HashMap<>(user);
        env.put(AGENTS_PORT, Integer.toString(freePort));
        return env;
    }

    /** Whoever listens at one of these ports does so beside what holds them. */
    static Map<String, String> withHeldPorts(Map<String, String> user, int port, int agentsPort) {
        var env = new HashMap<>(user);
        env.put(SharedPorts.VARIABLE, port + "," + agentsPort);
        return env;
    }

    /** The environment of a service that listens on {@code port} in a JVM shared by all. */
    Map<String, String> of(Service service, int port, Map<Service, Integer> owners) {
        var env = new HashMap<>(user);
        env.put("MOLECULE_ENV", options.mode().toString());
        env.put("MOLECULE_BIND", "127.0.0.1");
        env.put("MOLECULE_CLUSTER", "none");
        env.put(DatabaseUrl.VARIABLE, databaseUrl);
        env.remove(DatabaseUrl.CA_FILE); // it stands in the URL of the user's own, and is nothing to the embedded one
        if (redisUrl.isEmpty()) {
            env.remove("REDIS_URL");
            env.put(Stores.REDIS_VARIABLE, Stores.NO_REDIS);
        } else {
            env.put("REDIS_URL", redisUrl);
        }
        env.putIfAbsent("SECRETS_ENCRYPTION_KEY", secrets.encryptionKey());
        env.putIfAbsent("MOLECULE_EDGE_SECRET", secrets.edgeSecret());
        secrets.adminToken().ifPresent(token -> env.putIfAbsent("ADMIN_TOKEN", token));
        env.putIfAbsent("MOLECULE_DRAIN_SECONDS", "0"); // nobody else would take the requests
        env.putIfAbsent("MOLECULE_FINISH_SECONDS", "2");
        String url = options.url(options.port());
        env.put("PLATFORM_URL", url);
        env.putIfAbsent("EXTERNAL_PLATFORM_URL", url);
        env.put(service.portVariable(), Integer.toString(port));
        switch (service) {
            case PROXY -> {
                env.put("MOLECULE_BIND", options.bind());
                env.put("MOLECULE_DATA", data.root().toString());
                if (options.backend() == UpOptions.Backend.PROCESS) {
                    env.putIfAbsent("MOLECULE_AGENTS_HOST", "agents.localhost"); // browsers look for it at this machine
                }
                owners.forEach((owner, at) -> env.put(owner.name() + "_URL", "http://127.0.0.1:" + at));
            }
            case PROVISIONER -> {
                env.put("MOLECULE_BACKEND", options.backend().toString());
                String agentsPort = user.get(AGENTS_PORT);
                if (options.backend() == UpOptions.Backend.DOCKER) {
                    env.put("PLATFORM_URL", "http://" + DockerSettings.HOST_NAME + ":" + options.port());
                } else if (agentsPort != null && !user.containsKey(AGENTS_BIND)) {
                    env.put("PLATFORM_URL", options.url(Integer.parseInt(agentsPort)));
                }
                env.putIfAbsent("MOLECULE_ORG_TEMPLATES", data.organisations().toString());
                env.put("MOLECULE_DATA", data.root().toString());
                env.putIfAbsent("CONFIGS_DIR", data.root().resolve("templates").toString());
                env.put("MOLECULE_RUNTIME_JAR", runtimeJar.toString());
                env.put("MOLECULE_AGENT_LIFELINE", data.lifeline().toString());
                env.putIfAbsent("PLUGINS_DIR", data.root().resolve("plugins").toString());
            }
            case EVENTS, REGISTRY -> {}
        }
        return env;
    }

    /** The same for a service in a JVM of its own: a member of the cluster that ends with the lifeline. */
    Map<String, String> clustered(
            Service service,
            int port,
            Map<Service, Integer> owners,
            ClusterSecrets cluster,
            Map<Service, Integer> clusterPorts) {
        var env = new HashMap<>(of(service, port, owners));
        env.put("MOLECULE_CLUSTER", "tcp");
        cluster.variables().forEach((variable, file) -> {
            env.remove(variable);
            env.put(variable + "_FILE", file.toString());
        });
        env.put("MOLECULE_CLUSTER_HOST", "127.0.0.1");
        env.put("MOLECULE_CLUSTER_PORT", String.valueOf(clusterPorts.get(service)));
        env.put("MOLECULE_CLUSTER_BUS_PORT", "0");
        env.put("MOLECULE_CLUSTER_MEMBERS", members(clusterPorts));
        env.put("MOLECULE_LIFELINE", "stdin");
        return env;
    }

    private static String members(Map<Service, Integer> clusterPorts) {
        return List.copyOf(new EnumMap<>(clusterPorts).values()).stream()
                .map(port -> "127.0.0.1:" + port)
                .collect(Collectors.joining(","));
    }

    /** Without secrets: records end up in logs. */
    @Override
    public String toString() {
        return "PlatformEnvironment[" + options + "]";
    }
}
