package ai.molecule.common.config;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.cluster.ClusterConfig;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.service.StopTimes;
import ai.molecule.common.tracing.TracingConfig;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What every service reads from its environment.
 *
 * @param environment {@code MOLECULE_ENV}
 * @param adminToken {@code ADMIN_TOKEN}; production refuses to start without it
 * @param bindHost {@code MOLECULE_BIND}, default 127.0.0.1, or 0.0.0.0 in production and with an admin token
 * @param databaseUrl {@code DATABASE_URL}, {@code postgresql://user:password@host:port/database}, required; {@code DATABASE_CA_FILE} is in
 *     it as {@code sslrootcert}
 * @param redisUrl {@code REDIS_URL}, default {@code redis://127.0.0.1:6379}; null with {@code MOLECULE_REDIS=none}
 * @param orgId {@code MOLECULE_ORG_ID}; set, the tenant guard is on
 * @param deployMode {@code MOLECULE_DEPLOY_MODE}; with {@code saas} private addresses may be registered
 * @param agentNetworks {@code MOLECULE_AGENT_NETWORKS}: private networks in which agents outside may be registered and dialled
 * @param corsOrigins {@code CORS_ORIGINS}; null when unset, then localhost:3000 and :3001 are allowed
 * @param rateLimit {@code RATE_LIMIT}, requests in a window, default 600
 * @param rateWindow {@code RATE_LIMIT_WINDOW_SECONDS}, default a minute
 * @param hosts names besides loopback that may stand in {@code Host}: {@code MOLECULE_HOSTS}, and that of {@code EXTERNAL_PLATFORM_URL}
 * @param agentsBind {@code MOLECULE_AGENTS_BIND}: an address or a name of this machine in the agents' network, where a service's own port
 *     answers nobody; null when there is none
 * @param metricsPort {@code MOLECULE_METRICS_PORT}: where {@code /metrics} is read without a credential; null when nowhere
 * @param connections what may be connected without asking for anything
 * @param edgeSecret {@code MOLECULE_EDGE_SECRET}: proves to an owner that a request came through the front door
 * @param testTokensEnabled {@code MOLECULE_ENABLE_TEST_TOKENS=1}, or any environment but production
 * @param lifeline {@code MOLECULE_LIFELINE=stdin}: exit when standard input ends
 * @param openDoors {@code MOLECULE_OPEN_…=1}: the compatibility doors an operator leaves open in production
 * @param trustsAgents {@link #TRUST_AGENTS}; only the provisioner acts on it, all show it
 * @param agentUids {@link #AGENT_UIDS}, default {@link #AGENT_UIDS_DEFAULT}: where agents are processes with users of their own, each is
 *     this plus its agent's port; set aside whether or not it is used
 * @param adminTokenOff {@link #ADMIN_TOKEN_OFF}: people rule alone; {@code adminToken} is then one that nobody knows
 * @param tracing {@code OTEL_*}; null when nothing is traced
 */
public record PlatformConfig(
        Environment environment,
        @Nullable String adminToken,
        String bindHost,
        String databaseUrl,
        @Nullable String redisUrl,
        @Nullable String orgId,
        @Nullable String deployMode,
        List<String> agentNetworks,
        @Nullable List<String> corsOrigins,
        int rateLimit,
        Duration rateWindow,
        List<String> hosts,
        @Nullable String agentsBind,
        @Nullable Integer metricsPort,
        ConnectionLimits connections,
        @Nullable String edgeSecret,
        boolean testTokensEnabled,
        boolean lifeline,
        ClusterConfig cluster,
        StopTimes stopping,
        Set<Door> openDoors,
        boolean trustsAgents,
        int agentUids,
        boolean adminTokenOff,
        @Nullable TracingConfig tracing) {

    /** Set to {@code 1}: agents of the process backend may be the platform's own user in production too. */
    public static final String TRUST_AGENTS = "MOLECULE_TRUST_AGENTS";

    /** The first of the users that are set aside for agents. */
    public static final String AGENT_UIDS = "MOLECULE_AGENT_UIDS";

    /** Above what Linux systems hand out. */
    public static final int AGENT_UIDS_DEFAULT = 2_000_000_000;

    /** Set to {@code 1}: no {@code ADMIN_TOKEN} opens anything, although one is set. */
    public static final String ADMIN_TOKEN_OFF = "MOLECULE_ADMIN_TOKEN_OFF";

    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");

    /** Reads and checks every variable; {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static PlatformConfig fromEnv(Map<String, String> variables) {
        var env = new Env(variables);
        var environment = Environment.of(env.find("MOLECULE_ENV"));
        boolean adminTokenOff = "1".equals(env.find(ADMIN_TOKEN_OFF));
        String adminToken = adminTokenOff ? Tokens.mint() : env.find("ADMIN_TOKEN");
        if (environment == Environment.PRODUCTION && !adminTokenOff) {
            env.required("ADMIN_TOKEN");
        }
        boolean open = environment == Environment.PRODUCTION || adminToken != null;
        String bindHost = env.text("MOLECULE_BIND", open ? "0.0.0.0" : "127.0.0.1");
        if (environment == Environment.DEVELOPMENT && adminToken == null && !LOOPBACK.contains(bindHost)) {
            throw new IllegalArgumentException(
                    "MOLECULE_BIND %s: development listens on loopback only unless ADMIN_TOKEN is set"
                            .formatted(bindHost));
        }
        var origins = env.list("CORS_ORIGINS");
        return new PlatformConfig(
                environment,
                adminToken,
                bindHost,
                databaseUrl(env),
                redisUrl(env),
                env.find("MOLECULE_ORG_ID"),
                env.find("MOLECULE_DEPLOY_MODE"),
                AddressRules.checkNetworks("MOLECULE_AGENT_NETWORKS", env.list("MOLECULE_AGENT_NETWORKS")),
                origins.isEmpty() ? null : origins,
                (int) env.integer("RATE_LIMIT", 600, 1, 10_000_000),
                Duration.ofSeconds(env.integer("RATE_LIMIT_WINDOW_SECONDS", 60, 1, 3_600)),
                hosts(env),
                env.find("MOLECULE_AGENTS_BIND"),
                env.find("MOLECULE_METRICS_PORT") == null ? null : env.port("MOLECULE_METRICS_PORT", 0),
                ConnectionLimits.fromEnv(env),
                env.find("MOLECULE_EDGE_SECRET"),
                "1".equals(env.find("MOLECULE_ENABLE_TEST_TOKENS")) || environment != Environment.PRODUCTION,
                "stdin".equals(env.find("MOLECULE_LIFELINE")),
                ClusterConfig.fromEnv(env),
                StopTimes.fromEnv(env, environment == Environment.PRODUCTION),
                openDoors(env),
                "1".equals(env.find(TRUST_AGENTS)),
                (int) env.integer(AGENT_UIDS, AGENT_UIDS_DEFAULT, 100, 2_147_000_000),
                adminTokenOff,
                TracingConfig.fromEnv(env));
    }

    /** Whether requests without a bearer pass the admin, workspace and discovery guards. */
    public boolean hatchOpen() {
        return environment == Environment.DEVELOPMENT && adminToken == null;
    }

    /** Whether a door that compatibility asks for is open here. */
    public boolean isOpen(Door door) {
        return environment != Environment.PRODUCTION || openDoors.contains(door);
    }

    /** What is open here although production could do without, by the variable that opened it. */
    public List<String> doorsLeftOpen() {
        return environment == Environment.PRODUCTION
                ? Stream.concat(
                                openDoors.stream().map(Door::variable),
                                trustsAgents ? Stream.of(TRUST_AGENTS) : Stream.empty())
                        .toList()
                : List.of();
    }

    /** Whether agents on private networks may be registered and dialled. */
    public boolean saas() {
        return deployMode == null ? orgId != null : deployMode.equals("saas");
    }

    private static String databaseUrl(Env env) {
        String url = DatabaseUrl.find(env);
        return url == null ? env.required(DatabaseUrl.VARIABLE) : url;
    }

    private static List<String> hosts(Env env) {
        var hosts = new ArrayList<>(env.list("MOLECULE_HOSTS"));
        String external = env.find("EXTERNAL_PLATFORM_URL");
        if (external != null) {
            try {
                String host = new URI(external).getHost();
                if (host != null) {
                    hosts.add(host);
                }
            } catch (URISyntaxException notEvenAUrl) {
                throw new IllegalArgumentException("EXTERNAL_PLATFORM_URL must look like https://host", notEvenAUrl);
            }
        }
        return List.copyOf(hosts);
    }

    private static @Nullable String redisUrl(Env env) {
        String wanted = env.text("MOLECULE_REDIS", "");
        if (!wanted.isEmpty() && !wanted.equals("none")) {
            throw new IllegalArgumentException("MOLECULE_REDIS must be none, or unset");
        }
        return wanted.equals("none") ? null : env.text("REDIS_URL", "redis://127.0.0.1:6379");
    }

    private static Set<Door> openDoors(Env env) {
        var open = EnumSet.noneOf(Door.class);
        for (var door : Door.values()) {
            if ("1".equals(env.find(door.variable()))) {
                open.add(door);
            }
        }
        return open;
    }

    /** Without credentials: a config may end up in a log. */
    @Override
    public String toString() {
        return "PlatformConfig[environment=%s, bindHost=%s, cluster=%s, tenant=%s]"
                .formatted(environment, bindHost, cluster.mode(), orgId != null);
    }
}
