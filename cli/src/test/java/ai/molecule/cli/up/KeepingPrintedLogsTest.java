package ai.molecule.cli.up;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.data.DataFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What servers and scripts of the launcher print has a bound. */
class KeepingPrintedLogsTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "redis", "watchdog", "ports"})
    void a_log_that_nobody_rotates_is_cut_while_its_writer_goes_on(String name) throws IOException {
        var data = DataFolder.at(folder);
        Path log = data.log(name);
        Files.createDirectories(data.logs());
        try (var writer = Files.newOutputStream(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            writer.write("x".repeat(150).getBytes(UTF_8));
            try (var logs = PrintedLogs.keep(data, 100)) {
                await().until(() -> Files.size(log) == 0);
            }
            writer.write("after".getBytes(UTF_8));
        }

        assertThat(log).hasContent("after");
        assertThat(data.logs().resolve(name + ".log.1")).hasContent("x".repeat(100));
    }
}
