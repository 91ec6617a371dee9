package ai.molecule.system.compose;

import ai.molecule.cli.embedded.ServerBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * Images of PostgreSQL and Redis made of the embedded servers, for machines that reach no image registry. They keep to the manners
 * of the public images that {@code docker-compose.yml} relies on; that the public ones do is not tried here.
 */
final class StandIns {

    private static final String POSTGRES = "molecule-it/postgres";
    private static final String REDIS = "molecule-it/redis";

    private StandIns() {}

    /**
     * @param work an empty folder
     * @param jreImage what they begin with
     * @return the variables by which {@code docker-compose.yml} takes other images
     */
    static Map<String, String> build(Path root, Path work, String jreImage) throws IOException {
        var shell = new Shell(work, Map.of());
        var binaries = new ServerBinaries(work.resolve("binaries"));
        for (var file : new String[] {"postgres.Dockerfile", "postgres-entrypoint", "redis.Dockerfile"}) {
            Files.copy(root.resolve("system-tests/src/test/docker").resolve(file), work.resolve(file));
        }
        shell.run(
                "cp",
                "-r",
                binaries.postgres().toString(),
                work.resolve("postgres").toString());
        Path redis = Files.copy(binaries.redis(), work.resolve("redis-server"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.createDirectory(work.resolve("lib"));
        shell.run("ldd", redis.toString())
                .lines()
                .filter(line -> line.contains("libssl") || line.contains("libcrypto"))
                .map(line -> line.replaceAll(".*=> (\\S+).*", "$1"))
                .forEach(library ->
                        shell.run("cp", "-L", library, work.resolve("lib").toString()));
        build(shell, jreImage, POSTGRES, "postgres.Dockerfile");
        build(shell, jreImage, REDIS, "redis.Dockerfile");
        return Map.of("POSTGRES_IMAGE", POSTGRES, "REDIS_IMAGE", REDIS);
    }

    private static void build(Shell shell, String base, String name, String dockerfile) {
        shell.run("docker", "build", "-q", "--build-arg", "BASE=" + base, "-t", name, "-f", dockerfile, ".");
    }
}
