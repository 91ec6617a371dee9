package ai.molecule.common.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.Map;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * A PostgreSQL and a Redis in containers: the images that are shipped with, or where no registry can be reached those of
 * {@link ServerImages}. Without a Docker engine tests are skipped with the reason; with {@code MOLECULE_REQUIRE_DOCKER=1} they fail.
 */
final class ContainerServers {

    private static final Duration START_MAX = Duration.ofMinutes(3);
    private static final int POSTGRES_PORT = 5432;
    private static final int REDIS_PORT = 6379;

    private ContainerServers() {}

    /** Starts one; its port on this machine. */
    static int postgres() {
        var server = new PostgreSQLContainer(ServerImages.postgres().asCompatibleSubstituteFor("postgres"))
                .withDatabaseName("postgres")
                .withUsername("postgres")
                .withPassword("postgres")
                // as for the embedded one: hundreds of databases that nobody reads again
                .withCommand("postgres", "-c", "fsync=off", "-c", "autovacuum=off", "-c", "max_connections=300")
                .withTmpFs(Map.of("/var/lib/postgresql/data", "rw,uid=70"));
        // the shipped image's server begins twice, and only the second listens to others
        server.setWaitStrategy(Wait.forListeningPort().withStartupTimeout(START_MAX));
        return started(server, POSTGRES_PORT);
    }

    /** Starts one; its port on this machine. */
    static int redis() {
        return started(
                new GenericContainer<>(ServerImages.redis())
                        .withExposedPorts(REDIS_PORT)
                        .withCommand("redis-server", "--save", "", "--protected-mode", "no")
                        .waitingFor(Wait.forListeningPort().withStartupTimeout(START_MAX)),
                REDIS_PORT);
    }

    private static int started(GenericContainer<?> server, int port) {
        server.start();
        Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
        return server.getMappedPort(port);
    }

    /** To be called by the test: in the initializer of a class an assumption is a failure. */
    static void requireEngine() {
        if ("1".equals(System.getenv("MOLECULE_REQUIRE_DOCKER"))) {
            assertThat(ServerImages.ENGINE).as("version of the Docker engine").isNotEmpty();
        }
        assumeTrue(!ServerImages.ENGINE.isEmpty(), "no Docker engine answers");
    }
}
