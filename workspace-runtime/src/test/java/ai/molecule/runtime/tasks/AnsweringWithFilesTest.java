package ai.molecule.runtime.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of the workspace that an answer names go with it, as they were when it was given. */
class AnsweringWithFilesTest {

    @TempDir
    private Path home;

    private Path folder;

    @BeforeEach
    void fill() throws Exception {
        folder = Files.createDirectories(home.resolve("workspace"));
        Files.writeString(folder.resolve("report.txt"), "seven");
        Files.writeString(folder.resolve("data.xyz"), "x");
        Files.writeString(home.resolve("secret"), "s");
        Files.createSymbolicLink(folder.resolve("link"), home.resolve("secret"));
    }

    @Test
    void each_named_file_is_copied_once() throws Exception {
        var files = AnswerFiles.in(folder)
                .namedIn("See `/workspace/report.txt` and (/workspace/data.xyz); again /workspace/report.txt.");

        assertThat(files).hasSize(2);
        var report = files.getFirst();
        assertThat(report.name()).isEqualTo("report.txt");
        assertThat(report.type()).isEqualTo("text/plain");
        assertThat(report.uri()).matches("workspace:/workspace/\\.molecule/chat-uploads/[0-9a-f]{16}-report\\.txt");
        assertThat(files.getLast().type()).isEqualTo("application/octet-stream");
        Files.writeString(folder.resolve("report.txt"), "eight");
        assertThat(folder.resolve(report.uri().substring("workspace:/workspace/".length())))
                .hasContent("seven");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nothing",
                "/workspace/",
                "/workspace/nowhere.txt",
                "/workspace/link",
                "/workspace/../secret",
                "/home/workspace/report.txt",
                "https://example.org/workspace/report.txt",
                "/workspace//etc/hostname"
            })
    void nothing_else_goes_with_it(String answer) {
        assertThat(AnswerFiles.in(folder).namedIn(answer)).isEmpty();
        assertThat(folder.resolve(".molecule")).doesNotExist();
    }

    @Test
    void only_so_many_do() throws Exception {
        var answer = new StringBuilder();
        for (int i = 0; i < AnswerFiles.FILES_MAX + 5; i++) {
            Files.writeString(folder.resolve("f" + i), "x");
            answer.append(" /workspace/f").append(i);
        }

        assertThat(AnswerFiles.in(folder).namedIn(answer.toString())).hasSize(AnswerFiles.FILES_MAX);
    }
}
