package ai.molecule.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import ai.molecule.cli.data.DataFolder;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Databases that take a connection and say nothing. */
class HangingDatabasesTest {

    @TempDir
    private Path folder;

    @Test
    void every_wait_for_a_database_has_an_end_which_its_owner_may_choose() {
        var data = DataFolder.at(folder);

        assertThat(opened(data, "postgresql://u:p@h/d"))
                .isEqualTo("postgresql://u:p@h/d?loginTimeout=60&socketTimeout=300&tcpKeepAlive=true");
        assertThat(opened(data, "postgresql://u:p@h/d?sslmode=require&socketTimeout=7"))
                .isEqualTo("postgresql://u:p@h/d?sslmode=require&socketTimeout=7&loginTimeout=60&tcpKeepAlive=true");
        assertThat(PlatformDatabase.bounded("postgresql://h/d?", PlatformDatabase.LOAD_SILENCE_MAX))
                .contains("/d?loginTimeout=60&socketTimeout=1800");
    }

    @Test
    void one_that_lets_nobody_in_is_told_and_no_file_is_made() throws Exception {
        try (var silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var screen = new Screen();
            var file = folder.resolve("backup.tar.gz");
            var home = new MoleculeHome(folder, folder.resolve("runtime.jar"));
            var command = new BackupCommand(
                    screen.console(),
                    home,
                    Map.of(
                            "DATABASE_URL",
                            "postgresql://u:p@127.0.0.1:%d/d?loginTimeout=1".formatted(silent.getLocalPort()),
                            "SECRETS_ENCRYPTION_KEY",
                            "0123456789abcdef0123456789abcdef"));

            int exitCode = new CommandLine(command)
                    .setExecutionExceptionHandler((failure, failed, parsed) -> {
                        screen.console().say(String.valueOf(failure.getMessage()));
                        return 1;
                    })
                    .execute(file.toString());

            assertThat(exitCode).as(screen.err()).isEqualTo(1);
            assertThat(screen.err()).contains("The database could not be copied");
            assertThat(Files.exists(file)).isFalse();
        }
    }

    @Test
    void one_that_stops_taking_is_left() {
        var broken = new CountDownLatch(1);
        var connection = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("abort")) {
                        broken.countDown();
                    }
                    return null;
                });

        try (var watch = new StandstillWatch(connection, Duration.ofMillis(200))) {
            watch.moved();
            await().until(() -> broken.getCount() == 0);
        }
    }

    private static String opened(DataFolder data, String url) {
        try (var database = PlatformDatabase.open(data, Map.of("DATABASE_URL", url))) {
            return database.url();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
