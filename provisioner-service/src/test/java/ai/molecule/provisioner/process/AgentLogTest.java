package ai.molecule.provisioner.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent's log is bounded and its end can be read. */
class AgentLogTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void a_log_that_grew_too_long_is_cut_while_its_writer_goes_on() throws IOException {
        var file = folder.resolve("agent.log");
        var log = new AgentLog(file, 100);
        try (var writer = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            writer.write("x".repeat(150).getBytes(UTF_8));
            log.trim();
            writer.write("after".getBytes(UTF_8));
        }

        assertThat(file).hasContent("after");
        assertThat(folder.resolve("agent.log.1")).hasContent("x".repeat(100));
    }

    @Test
    void a_new_start_keeps_the_log_before() throws IOException {
        var file = Files.writeString(folder.resolve("agent.log"), "first run");

        new AgentLog(file, 100).rotate();
        new AgentLog(file, 100).rotate();

        assertThat(file).doesNotExist();
        assertThat(folder.resolve("agent.log.1")).hasContent("first run");
    }

    @Test
    void the_tail_is_the_last_lines_without_control_characters() throws IOException {
        var file = folder.resolve("agent.log");
        var text = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            text.append("line ").append(i).append('\n');
        }
        Files.writeString(file, text.append("\u001b[31mred\0\n"));

        var tail = new AgentLog(file, 100).tail();

        assertThat(tail.lines()).hasSize(20).first().isEqualTo("line 981");
        assertThat(tail).endsWith(" [31mred");
    }

    @Test
    void without_a_log_the_tail_is_empty() throws IOException {
        assertThat(new AgentLog(folder.resolve("none"), 100).tail()).isEmpty();
    }
}
