package ai.molecule.runtime.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The agent is told of the files that come with a message, and of nothing outside its folder. */
class AttachingFilesTest {

    @TempDir
    private Path home;

    private Path folder;

    @BeforeEach
    void fill() throws Exception {
        folder = Files.createDirectories(home.resolve("workspace")).toRealPath();
        Files.createDirectories(folder.resolve("docs"));
        Files.writeString(folder.resolve("docs/a b.txt"), "a");
        Files.writeString(home.resolve("secret"), "s");
        Files.createSymbolicLink(folder.resolve("link"), home.resolve("secret"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "workspace:/workspace/docs/a b.txt",
                "file:///workspace/docs/a%20b.txt",
                "/workspace/docs/a b.txt",
                "/workspace/docs/../docs/a b.txt"
            })
    void a_file_of_the_workspace_is_listed_however_it_is_written(String uri) throws Exception {
        assertThat(add("read it", file(uri, "notes.txt", "text/plain")))
                .isEqualTo("read it\n\nAttached files:\n- notes.txt (text/plain) at docs/a b.txt");
    }

    @Test
    void a_file_needs_neither_words_nor_a_name() throws Exception {
        assertThat(add("", "[{\"root\":{\"kind\":\"file\",\"file\":{\"uri\":\"/workspace/docs/a b.txt\"}}}]"))
                .isEqualTo("Attached files:\n- a b.txt (application/octet-stream) at docs/a b.txt");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/workspace/../secret",
                "workspace:/workspace/../secret",
                "file:///workspace/%2e%2e/secret",
                "/workspace/link",
                "/workspace//etc/hostname",
                "/etc/hostname",
                "file:///etc/hostname",
                "file:///workspace/%zz",
                "/workspace/docs",
                "/workspace/nowhere",
                "/workspace/a\\u0000b",
                "https://example.org/workspace/a",
                "",
            })
    void anything_else_is_passed_over(String uri) throws Exception {
        assertThat(add("read it", file(uri, "x", "y"))).isEqualTo("read it");
    }

    @Test
    void a_name_cannot_pretend_to_be_a_line() throws Exception {
        String named = file("/workspace/docs/a b.txt", "x\\n- y", "t");

        assertThat(add("", named).lines()).hasSize(2);
    }

    @Test
    void only_so_many_are_looked_at() throws Exception {
        String one = file("/workspace/docs/a b.txt", "x", "t");
        String many = "[" + (one.substring(1, one.length() - 1) + ",").repeat(Attachments.FILES_MAX) + one.substring(1);

        assertThat(add("", many).lines()).hasSize(Attachments.FILES_MAX + 1);
    }

    @Test
    void what_became_known_comes_before_the_words_and_is_taken_only_with_words() {
        var news = new ArrayDeque<>(List.of("- [completed] count ships"));
        var texts = new Surroundings(Attachments.NONE, () -> news.isEmpty() ? "" : news.remove(), AnswerFiles.NONE);

        assertThat(texts.textOf(message(" "))).isBlank();
        assertThat(texts.textOf(message("and now?")))
                .isEqualTo("[Delegation results received while you were idle]\n- [completed] count ships\n\n"
                        + "[New message]\nand now?");
        assertThat(texts.textOf(message("and now?"))).isEqualTo("and now?");
    }

    private static IncomingMessage message(String text) {
        var none = MissingNode.getInstance();
        return new IncomingMessage("m", Optional.empty(), Optional.empty(), text, none, none, 0);
    }

    private String add(String text, String parts) throws Exception {
        JsonNode json = new ObjectMapper().readTree(parts);
        return Attachments.in(folder).addTo(text, json);
    }

    private static String file(String uri, String name, String type) {
        return "[{\"kind\":\"file\",\"file\":{\"uri\":\"%s\",\"name\":\"%s\",\"mimeType\":\"%s\"}}]"
                .formatted(uri, name, type);
    }
}
