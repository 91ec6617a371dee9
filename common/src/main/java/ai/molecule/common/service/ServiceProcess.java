package ai.molecule.common.service;

import ai.molecule.common.cluster.ClusteredVertx;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.tracing.Tracing;
import io.vertx.core.Deployable;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.security.Security;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A service as a process of its own: environment in, one verticle deployed, clean stop on SIGTERM or when its lifeline ends. */
public final class ServiceProcess {

    private static final Logger LOGGER = LoggerFactory.getLogger(ServiceProcess.class);

    /** For joining the cluster, and as long again for its verticle: on a busy machine who gives up early only makes the others wait longer. */
    private static final int START_SECONDS = 120;

    /** In addition to {@link StopTimes}: time to write down what is left and to leave the cluster. */
    private static final int STOP_SECONDS = 8;

    /** How long a collector may take to accept the last spans. */
    private static final Duration LAST_SPANS = Duration.ofSeconds(2);

    /** How long the JVM remembers the addresses of a name; short, because replicas come and go. */
    private static final String NAME_SECONDS = "2";

    private ServiceProcess() {}

    /**
     * Does not return on failure: a wrong environment exits with 2 and one sentence, a failed start with 1.
     *
     * @param name for the log, and with {@code -service} for traces
     */
    public static <C> void run(
            String name,
            Function<Map<String, String>, C> configFromEnv,
            Function<C, PlatformConfig> platformOf,
            Function<C, Deployable> verticle) {
        Security.setProperty("networkaddress.cache.ttl", NAME_SECONDS);
        C config;
        Tracing tracing;
        try {
            config = configFromEnv.apply(System.getenv());
            tracing = Tracing.begin(platformOf.apply(config).tracing(), name + "-service");
        } catch (IllegalArgumentException wrong) {
            LOGGER.atError().addKeyValue("service", name).log(wrong.getMessage());
            System.exit(2);
            return;
        }
        try {
            var platform = platformOf.apply(config);
            Vertx vertx = ClusteredVertx.start(platform.cluster(), tracing, System.getenv())
                    .await(START_SECONDS, TimeUnit.SECONDS);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> stop(name, vertx, tracing, platform.stopping()), name + "-stop"));
            if (platform.lifeline()) {
                Thread.ofPlatform().daemon().name("lifeline").start(ServiceProcess::watchLifeline);
            }
            vertx.deployVerticle(verticle.apply(config)).await(START_SECONDS, TimeUnit.SECONDS);
            LOGGER.atInfo()
                    .addKeyValue("service", name)
                    .addKeyValue("config", config)
                    .log("service started");
        } catch (Exception failure) {
            LOGGER.atError().setCause(failure).addKeyValue("service", name).log("service failed to start");
            System.exit(1); // Vert.x threads would keep a half-started process alive
        }
    }

    /** Whoever started this process holds the other end of standard input; when it dies, however, so do we. */
    private static void watchLifeline() {
        try {
            while (System.in.read() >= 0) {
                // nothing is ever sent
            }
        } catch (IOException broken) {
            // as good as the end
        }
        LOGGER.warn("lifeline ended, stopping");
        System.exit(0);
    }

    private static void stop(String name, Vertx vertx, Tracing tracing, StopTimes times) {
        Leaving.of(vertx).begin();
        try {
            Thread.sleep(times.drain()); // in the shutdown hook's own thread: everything is served meanwhile
            vertx.close().await(times.finish().toSeconds() + STOP_SECONDS, TimeUnit.SECONDS);
            tracing.end(LAST_SPANS);
        } catch (Exception late) {
            LOGGER.atWarn().setCause(late).addKeyValue("service", name).log("service did not stop in order");
            Runtime.getRuntime().halt(1);
        }
        LOGGER.atInfo().addKeyValue("service", name).log("service stopped");
    }
}
