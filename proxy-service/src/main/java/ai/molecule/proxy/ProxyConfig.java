package ai.molecule.proxy;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.proxy.a2a.calls.A2aLimits;
import ai.molecule.proxy.activity.ActivityLimits;
import ai.molecule.proxy.delegations.DelegationLimits;
import ai.molecule.proxy.frontdoor.AgentsDoor;
import ai.molecule.proxy.frontdoor.FrontDoorLimits;
import ai.molecule.proxy.frontdoor.Owners;
import ai.molecule.proxy.models.ModelsConfig;
import ai.molecule.proxy.push.PushLimits;
import ai.molecule.proxy.queue.QueueLimits;
import ai.molecule.proxy.schedules.ScheduleLimits;
import ai.molecule.proxy.streams.JournalLimits;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything the proxy reads from its environment, read once at start.
 *
 * @param port {@code PORT}, default 8080; 0 lets the system choose
 * @param agents {@code MOLECULE_AGENTS_PORT} and {@code MOLECULE_AGENTS_BIND}: where agents come in ({@link AgentsDoor}); null when they
 *     have no door of their own
 * @param agentsHost {@code MOLECULE_AGENTS_HOST}: the domain whose names are agents' web servers; null when these are not shown
 * @param owners {@code REGISTRY_URL}, {@code EVENTS_URL}, {@code PROVISIONER_URL}: where the other services listen
 * @param a2a {@code A2A_CALLER_WAIT_SECONDS} (120) and {@code A2A_UPSTREAM_SECONDS} (1800); the rest is decision 12
 * @param journal {@code A2A_JOURNAL_SECONDS} (3600), {@code A2A_JOURNAL_EVENTS} (10,000) and {@code A2A_JOURNAL_BYTES} (16 MiB):
 *     how long an ended stream is kept, and how much of one
 * @param frontDoor how long owners behind the gateway may be silent
 * @param keepWork {@code WORK_RETENTION_DAYS} (90): how long a piece of work is kept after its end, with what was said in it
 * @param models {@code MOLECULE_PROVIDERS}, {@code MOLECULE_PRICE_LIST} and {@code MOLECULE_MODEL_CALLS_DAYS} (90): the model door
 */
public record ProxyConfig(
        int port,
        @Nullable AgentsListener agents,
        @Nullable String agentsHost,
        Owners owners,
        FrontDoorLimits frontDoor,
        A2aLimits a2a,
        ActivityLimits activity,
        DelegationLimits delegations,
        QueueLimits queue,
        ScheduleLimits schedules,
        JournalLimits journal,
        Duration keepWork,
        PushLimits push,
        ModelsConfig models,
        PlatformConfig platform) {

    private static final String AGENTS_HOST = "MOLECULE_AGENTS_HOST";

    /** A name has at most 253 characters, and the label of a web server 43. */
    private static final int AGENTS_HOST_MAX = 200;

    /** Labels, the last of which is no number, as it is in an address. */
    private static final Pattern DOMAIN =
            Pattern.compile("([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?");

    /**
     * @param host an address in the agents' network, default the service's own
     * @param port null for the front door's own port, at a host of its own
     */
    public record AgentsListener(String host, @Nullable Integer port) {

        static @Nullable AgentsListener fromEnv(Env env, String serviceHost) {
            String host = env.find("MOLECULE_AGENTS_BIND");
            Integer port = env.find("MOLECULE_AGENTS_PORT") == null ? null : env.port("MOLECULE_AGENTS_PORT", 0);
            return host == null && port == null ? null : new AgentsListener(host == null ? serviceHost : host, port);
        }
    }

    public ProxyConfig withModels(ModelsConfig others) {
        return new ProxyConfig(
                port,
                agents,
                agentsHost,
                owners,
                frontDoor,
                a2a,
                activity,
                delegations,
                queue,
                schedules,
                journal,
                keepWork,
                push,
                others,
                platform);
    }

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static ProxyConfig fromEnv(Map<String, String> variables) {
        var env = new Env(variables);
        var platform = PlatformConfig.fromEnv(variables);
        return new ProxyConfig(
                env.port("PORT", 8080),
                AgentsListener.fromEnv(env, platform.bindHost()),
                agentsHost(env, platform.hosts()),
                Owners.fromEnv(env),
                FrontDoorLimits.DEFAULT,
                A2aLimits.of(env.seconds("A2A_CALLER_WAIT_SECONDS", 120), env.seconds("A2A_UPSTREAM_SECONDS", 1800)),
                ActivityLimits.DEFAULT,
                DelegationLimits.DEFAULT,
                QueueLimits.DEFAULT,
                ScheduleLimits.DEFAULT,
                JournalLimits.of(
                        env.seconds("A2A_JOURNAL_SECONDS", 3600),
                        (int) env.integer("A2A_JOURNAL_EVENTS", 10_000, 1, 1_000_000),
                        env.integer("A2A_JOURNAL_BYTES", 16L << 20, 1, 1L << 40)),
                Duration.ofDays(env.integer("WORK_RETENTION_DAYS", 90, 1, 3_650)),
                PushLimits.DEFAULT,
                ModelsConfig.fromEnv(env),
                platform);
    }

    /** No name of the platform's own may be under it. */
    private static @Nullable String agentsHost(Env env, List<String> hosts) {
        String given = env.find(AGENTS_HOST);
        if (given == null || given.equals("none")) {
            return null;
        }
        String domain = given.toLowerCase(Locale.ROOT);
        if (domain.length() > AGENTS_HOST_MAX || !DOMAIN.matcher(domain).matches()) {
            throw new IllegalArgumentException(AGENTS_HOST + " must be a domain such as agents.example.com, or none");
        }
        Stream.concat(hosts.stream(), Stream.of("localhost"))
                .map(host -> host.toLowerCase(Locale.ROOT))
                .filter(host -> host.equals(domain) || host.endsWith("." + domain))
                .findFirst()
                .ifPresent(host -> {
                    throw new IllegalArgumentException("%s must be a domain of the agents' own: the platform is at %s"
                            .formatted(AGENTS_HOST, host));
                });
        return domain;
    }
}
