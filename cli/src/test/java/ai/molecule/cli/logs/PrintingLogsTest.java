package ai.molecule.cli.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.Screen;
import ai.molecule.cli.data.DataFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose log is where, and following one while it grows and is rolled. */
class PrintingLogsTest {

    @TempDir
    Path temp;

    private final Screen screen = new Screen();
    private DataFolder data;

    @BeforeEach
    void openFolder() {
        data = DataFolder.open(temp.resolve("data"));
    }

    @Test
    void a_service_is_found_by_name_and_an_agent_by_id() throws IOException {
        Files.writeString(data.log("registry"), "here\n");
        Path agent = data.workspaces().resolve("id-1/log/agent.log");
        Files.createDirectories(agent.getParent());
        Files.writeString(agent, "agent\n");

        var finder = new LogFinder(data);

        assertThat(finder.find("registry")).contains(data.log("registry"));
        assertThat(finder.find("id-1")).contains(agent);
        assertThat(finder.find("nobody")).isEmpty();
    }

    @Test
    void a_followed_log_goes_on_after_it_was_rolled() throws Exception {
        Path log = Files.writeString(data.log("registry"), "first\n");
        var printer = new LogPrinter(log, screen.console());
        var following = new FutureTask<>(() -> {
            printer.print(true);
            return 0;
        });
        var thread = Thread.ofVirtual().start(following);

        await().until(() -> screen.out().equals("first\n"));
        Files.writeString(log, "second\n", StandardOpenOption.APPEND);
        await().until(() -> screen.out().equals("first\nsecond\n"));
        Files.move(log, data.logs().resolve("registry.log.1"));
        Files.writeString(log, "third\n");
        await().until(() -> screen.out().equals("first\nsecond\nthird\n"));

        thread.interrupt();
    }
}
