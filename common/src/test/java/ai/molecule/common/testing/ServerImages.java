package ai.molecule.common.testing;

import ai.molecule.testkit.Documents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.utility.DockerImageName;
import redis.embedded.core.ExecutableProvider;

/**
 * The images of PostgreSQL and Redis that {@code docker/images.lock} names. With {@code MOLECULE_JRE_IMAGE}, which CI sets where no registry
 * can be reached, stand-ins made of that image and of the embedded servers: they keep to the manners of the public ones that tests and
 * {@code docker-compose.yml} rely on; that the public ones do is not tried then.
 */
public final class ServerImages {

    private static final String FOLDER = "images/";
    private static final @Nullable String BASE = System.getenv("MOLECULE_JRE_IMAGE");

    /** Version of the engine's interface, empty without an engine; the client's own may be too new for it. */
    static final String ENGINE = engine();

    private ServerImages() {}

    public static DockerImageName postgres() {
        if (BASE == null) {
            return locked("POSTGRES_IMAGE");
        }
        return built(standIn("postgres")
                .withFileFromClasspath("postgres-entrypoint", FOLDER + "postgres-entrypoint")
                .withFileFromClasspath("postgres.txz", "postgres-linux-x86_64.txz"));
    }

    public static DockerImageName redis() {
        if (BASE == null) {
            return locked("REDIS_IMAGE");
        }
        try {
            var binary = ExecutableProvider.newJarResourceProvider().get().toPath();
            var image = standIn("redis").withFileFromPath("redis-server", binary);
            for (Path library : libraries(binary)) {
                image.withFileFromPath("lib/" + library.getFileName(), library.toRealPath());
            }
            return built(image);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static ImageFromDockerfile standIn(String server) {
        String dockerfile = server + ".Dockerfile";
        return new ImageFromDockerfile("molecule-test/" + server + ":1", false)
                .withFileFromClasspath(dockerfile, FOLDER + dockerfile)
                .withDockerfilePath(dockerfile)
                .withBuildArg("BASE", BASE);
    }

    private static DockerImageName built(ImageFromDockerfile image) {
        return DockerImageName.parse(image.get());
    }

    private static DockerImageName locked(String variable) {
        var images = new Properties();
        try (var lock = Files.newBufferedReader(Documents.IMAGES_LOCK)) {
            images.load(lock);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return DockerImageName.parse(images.getProperty(variable));
    }

    /** What the binary is linked with and a small system has not. */
    private static List<Path> libraries(Path binary) throws IOException {
        var ldd = new ProcessBuilder("ldd", binary.toString()).start();
        try (var lines = ldd.inputReader().lines()) {
            return lines.filter(line -> line.contains("libssl") || line.contains("libcrypto"))
                    .map(line -> Path.of(line.replaceAll(".*=> (\\S+).*", "$1")))
                    .toList();
        }
    }

    private static String engine() {
        try {
            var asked = new ProcessBuilder("docker", "version", "--format", "{{.Server.APIVersion}}").start();
            String version = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            System.setProperty("api.version", version);
            return version;
        } catch (IOException none) {
            return "";
        }
    }
}
