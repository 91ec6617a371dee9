package ai.molecule.cli.up;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.Secrets;
import ai.molecule.cli.embedded.MachineRedis;
import ai.molecule.cli.embedded.ServerBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In production the embedded Redis is too old: what is taken instead. */
class ChoosingARedisTest {

    @TempDir
    Path temp;

    private DataFolder data;
    private Path bin;

    @BeforeEach
    void openFolder() throws IOException {
        data = DataFolder.open(temp.resolve("data"));
        bin = Files.createDirectories(temp.resolve("bin"));
    }

    @Test
    void a_recent_program_of_the_machine_is_found_and_valkey_before_redis() throws IOException {
        Path old = Files.createDirectories(temp.resolve("old"));
        program(old.resolve("redis-server"), "echo 'Redis server v=7.0.15 sha=0 bits=64'");
        program(old.resolve("valkey-server"), "exit 1");
        String path = "relative:" + old + ":" + bin;
        assertThat(MachineRedis.find(path)).isEmpty();
        assertThat(MachineRedis.find("")).isEmpty();

        program(bin.resolve("redis-server"), "echo 'Redis server v=7.2.4 sha=0 bits=64'");
        assertThat(MachineRedis.find(path)).contains(bin.resolve("redis-server"));

        program(bin.resolve("valkey-server"), "echo 'Valkey server v=8.1.0 sha=0 bits=64'");
        assertThat(MachineRedis.find(path)).contains(bin.resolve("valkey-server"));
    }

    @Test
    void production_starts_the_machines_as_it_would_its_own() throws IOException {
        Path embedded = new ServerBinaries(data.binaries()).redis();
        program(
                bin.resolve("redis-server"),
                "[ \"$1\" = --version ] && echo 'Redis server v=7.2.4' && exit; exec " + embedded + " \"$@\"");

        try (var stores = production(Map.of("PATH", bin + ":/usr/bin:/bin"))) {
            assertThat(stores.hasRedis()).isTrue();
            assertThat(stores.servers()).containsOnlyKeys("redis");
            stores.close(); // from now on it is not started again
            stores.ours().values().forEach(kept -> kept.server().close());
        }
    }

    @Test
    void production_without_any_runs_without_and_the_services_are_told() throws IOException {
        try (var stores = production(Map.of("PATH", bin.toString()))) {
            assertThat(stores.hasRedis()).isFalse();
            assertThat(stores.servers()).isEmpty();
            assertThat(told(stores)).containsEntry("MOLECULE_REDIS", "none").doesNotContainKey("REDIS_URL");
        }
    }

    @Test
    void the_users_own_counts_before_all() throws IOException {
        program(bin.resolve("redis-server"), "echo 'Redis server v=7.2.4'");

        try (var stores = production(Map.of("PATH", bin.toString(), "REDIS_URL", "redis://mine"))) {
            assertThat(stores.servers()).isEmpty();
            assertThat(told(stores)).containsEntry("REDIS_URL", "redis://mine").doesNotContainKey("MOLECULE_REDIS");
        }
        try (var stores = production(Map.of("PATH", bin.toString(), "MOLECULE_REDIS", "none"))) {
            assertThat(stores.hasRedis()).isFalse();
        }
    }

    private Stores production(Map<String, String> user) throws IOException {
        var all = new HashMap<>(user);
        all.put("DATABASE_URL", "postgresql://elsewhere/molecule");
        return Stores.open(data, Secrets.load(data, true), all, true, line -> {}, () -> {});
    }

    private Map<String, String> told(Stores stores) throws IOException {
        var options = new UpOptions(
                8080, data.root(), "127.0.0.1", UpOptions.Backend.NONE, false, false, UpOptions.Mode.PRODUCTION);
        return new PlatformEnvironment(
                        options,
                        data,
                        Secrets.load(data, true),
                        Map.of(),
                        stores.databaseUrl(),
                        stores.redisUrl(),
                        Path.of("runtime.jar"))
                .of(Service.EVENTS, 0, Map.of());
    }

    private static void program(Path file, String script) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
