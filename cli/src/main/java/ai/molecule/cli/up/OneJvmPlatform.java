package ai.molecule.cli.up;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.RunFile;
import ai.molecule.common.config.Env;
import ai.molecule.common.net.SharedPorts;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.common.tracing.TracingConfig;
import ai.molecule.events.EventsConfig;
import ai.molecule.events.EventsVerticle;
import ai.molecule.provisioner.ProvisionerConfig;
import ai.molecule.provisioner.ProvisionerVerticle;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyVerticle;
import ai.molecule.registry.RegistryConfig;
import ai.molecule.registry.RegistryVerticle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The four services on one event bus in this JVM: the same verticles as in processes of their own. Traces call them by one name,
 * {@code molecule}, because they share one Vert.x.
 */
final class OneJvmPlatform implements Platform {

    private static final Logger LOGGER = LoggerFactory.getLogger(OneJvmPlatform.class);

    /** Of each; the first time they also make their tables, on a machine that may be busy or small. */
    private static final int START_SECONDS = 180;

    private static final int STOP_SECONDS = 3;

    /** For the last spans. */
    private static final Duration LAST_SPANS = Duration.ofSeconds(1);

    private final Vertx vertx;
    private final Tracing tracing;
    private final Map<Service, Integer> ports;

    private OneJvmPlatform(Vertx vertx, Tracing tracing, Map<Service, Integer> ports) {
        this.vertx = vertx;
        this.tracing = tracing;
        this.ports = ports;
    }

    /**
     * Deploys the owners on ports the system chooses, then the front door that knows them.
     *
     * @throws LaunchFailure when a service refuses its environment or does not start within 180 s
     */
    static OneJvmPlatform start(PlatformEnvironment environment) {
        Tracing tracing;
        try {
            tracing = Tracing.begin(TracingConfig.fromEnv(new Env(environment.user())), "molecule");
        } catch (IllegalArgumentException e) {
            throw LaunchFailure.usersTurn(e.getMessage() + ".");
        }
        var vertx = SharedPorts.over(tracing.over(Vertx.builder()), environment.user())
                .build();
        try {
            return deploy(vertx, tracing, environment);
        } catch (IllegalArgumentException e) {
            stop(vertx, tracing);
            throw LaunchFailure.usersTurn(e.getMessage() + ".");
        } catch (TimeoutException e) {
            throw broken(vertx, tracing, "not within " + START_SECONDS + " s", e);
        } catch (Exception e) {
            throw broken(vertx, tracing, String.valueOf(e.getMessage()), e);
        }
    }

    private static LaunchFailure broken(Vertx vertx, Tracing tracing, String why, Exception cause) {
        stop(vertx, tracing);
        LOGGER.atError().setCause(cause).log("the services did not start");
        return LaunchFailure.broken("The services did not start (" + why + "); logs/molecule.log says more.", cause);
    }

    private static OneJvmPlatform deploy(Vertx vertx, Tracing tracing, PlatformEnvironment environment)
            throws TimeoutException {
        var events = new EventsVerticle(EventsConfig.fromEnv(environment.of(Service.EVENTS, 0, Map.of())));
        var registry = new RegistryVerticle(RegistryConfig.fromEnv(environment.of(Service.REGISTRY, 0, Map.of())));
        Future.all(vertx.deployVerticle(events), vertx.deployVerticle(registry)).await(START_SECONDS, TimeUnit.SECONDS);
        // Its first look at the agents asks the registry.
        var provisioner =
                new ProvisionerVerticle(ProvisionerConfig.fromEnv(environment.of(Service.PROVISIONER, 0, Map.of())));
        vertx.deployVerticle(provisioner).await(START_SECONDS, TimeUnit.SECONDS);

        var ports = new EnumMap<Service, Integer>(Service.class);
        ports.put(Service.EVENTS, events.actualPort());
        ports.put(Service.REGISTRY, registry.actualPort());
        ports.put(Service.PROVISIONER, provisioner.actualPort());
        int port = environment.options().port();
        var proxy = new ProxyVerticle(ProxyConfig.fromEnv(environment.of(Service.PROXY, port, Map.copyOf(ports))));
        vertx.deployVerticle(proxy).await(START_SECONDS, TimeUnit.SECONDS);
        ports.put(Service.PROXY, proxy.actualPort());
        return new OneJvmPlatform(vertx, tracing, ports);
    }

    @Override
    public SequencedMap<String, RunFile.Endpoint> services() {
        var services = new TreeMap<String, RunFile.Endpoint>();
        long pid = ProcessHandle.current().pid();
        ports.forEach((service, port) -> services.put(service.label(), new RunFile.Endpoint(port, pid)));
        return services;
    }

    @Override
    public boolean keepsEnding(String label) {
        return false; // a service here ends with everything else
    }

    @Override
    public void close() {
        stop(vertx, tracing);
    }

    private static void stop(Vertx vertx, Tracing tracing) {
        try {
            vertx.close().await(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            LOGGER.atWarn().setCause(e).log("the services did not stop in time");
        }
        tracing.end(LAST_SPANS);
    }
}
