package ai.molecule.runtime.filetools;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading, writing and looking for files in the workspace's folder, and nowhere else. */
class WorkingOnFilesTest {

    @TempDir
    private Path home;

    private Path folder;
    private List<ToolSpec> tools;

    @BeforeEach
    void create() throws IOException {
        folder = Files.createDirectories(home.resolve("workspace"));
        Files.createDirectories(folder.resolve("src/deep"));
        Files.writeString(folder.resolve("src/One.java"), "class One {\n  int a = 1;\n}\n");
        Files.writeString(folder.resolve("src/deep/Two.java"), "class Two {}\n");
        Files.writeString(folder.resolve("notes.md"), "one\ntwo\nthree\n");
        Files.writeString(Files.createDirectories(folder.resolve(".configs")).resolve(".auth_token"), "secret");
        Files.writeString(home.resolve("outside.txt"), "secret");
        tools = FileTools.in(folder, List.of(folder.resolve(".configs"), home.resolve("nowhere")), "", "one");
    }

    @Test
    void a_file_is_read_by_lines_and_by_its_absolute_path() throws Exception {
        assertThat(call("read", "path", "notes.md")).isEqualTo("one\ntwo\nthree");
        assertThat(call("read", "path", folder.toRealPath() + "/src/../notes.md"))
                .startsWith("Error: ");
        assertThat(call("read", "path", folder.toRealPath() + "/notes.md")).startsWith("one");
        assertThat(run(
                        "read",
                        JsonNodeFactory.instance
                                .objectNode()
                                .put("path", "./notes.md")
                                .put("from_line", 2)
                                .put("lines", 1)))
                .isEqualTo("two\n[lines 2 to 2 of 3]");
    }

    @Test
    void with_a_folder_for_output_the_rest_is_for_reading_and_nothing_is_left_in_it() throws Exception {
        tools = FileTools.in(folder, List.of(), "out", "one");

        for (String elsewhere : List.of("notes.md", "outer.md", "out", "./new/../out/x", "output/x")) {
            assertThat(call("write", "path", elsewhere, "text", "mine")).startsWith("Error: ");
        }
        assertThat(call("edit", "path", "notes.md", "old_text", "one", "new_text", "1"))
                .isEqualTo("Error: this folder is for reading; files are changed in out/ only");
        assertThat(call("read", "path", "notes.md")).startsWith("one");
        assertThat(call("write", "path", "out/deep/report.md", "text", "mine")).startsWith("Written");
        assertThat(call("glob", "pattern", "**/report.md")).isEqualTo("out/deep/report.md");
        assertThat(folder.resolve(".molecule")).doesNotExist();
        assertThat(folder.resolve("notes.md")).hasContent("one\ntwo\nthree\n");
    }

    @Test
    void what_others_changed_since_it_was_read_is_not_replaced() throws Exception {
        call("read", "path", "notes.md");
        Files.writeString(folder.resolve("notes.md"), "one\ntwo\nthree\nfour\n");

        assertThat(call("write", "path", "notes.md", "text", "mine")).startsWith("Error: notes.md was changed by");
        assertThat(call("edit", "path", "notes.md", "old_text", "one", "new_text", "1"))
                .isEqualTo("Edited: notes.md.");
        assertThat(call("write", "path", "./notes.md", "text", "mine")).startsWith("Error: notes.md was changed by");
        call("read", "path", "notes.md");
        assertThat(call("write", "path", "notes.md", "text", "mine")).startsWith("Written");
        assertThat(call("write", "path", "notes.md", "text", "mine again")).startsWith("Written");
    }

    @Test
    void what_another_agent_wrote_is_read_before_it_is_replaced() throws Exception {
        call("write", "path", "report.md", "text", "by one");
        tools = FileTools.in(folder, List.of(), "", "two");

        assertThat(call("write", "path", "report.md", "text", "by two"))
                .isEqualTo(
                        "Error: other agents work in this folder, and report.md was not read yet; read it before it is replaced");
        assertThat(folder.resolve("report.md")).hasContent("by one");
        call("read", "path", "report.md");
        assertThat(call("write", "path", "report.md", "text", "by two")).startsWith("Written");
    }

    @Test
    void a_file_is_written_whole_and_keeps_its_rights() throws Exception {
        Path script = folder.resolve("run.sh");
        Files.writeString(script, "old");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x---"));

        assertThat(call("write", "path", "run.sh", "text", "new\n")).isEqualTo("Written: run.sh, 4 bytes.");
        assertThat(call("write", "path", "a/b/c.txt", "text", " kept ")).startsWith("Written");

        assertThat(script).hasContent("new\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(script)))
                .isEqualTo("rwxr-x---");
        assertThat(Files.readString(folder.resolve("a/b/c.txt"))).isEqualTo(" kept ");
        try (var left = Files.list(folder)) {
            assertThat(left).noneMatch(path -> path.toString().endsWith(".tmp"));
        }
    }

    @Test
    void what_is_said_to_be_written_or_edited_is_on_the_disk_and_so_is_its_name() throws Exception {
        try (var recording = new Recording()) {
            recording.enable("jdk.FileForce").withoutThreshold();
            recording.start();

            assertThat(call("write", "path", "new/report.md", "text", "one")).startsWith("Written");
            assertThat(call("edit", "path", "notes.md", "old_text", "two", "new_text", "2"))
                    .startsWith("Edited");

            recording.stop();
            Path forced = home.resolve("forced.jfr");
            recording.dump(forced);
            assertThat(RecordingFile.readAllEvents(forced))
                    .extracting(event -> String.valueOf(event.getString("path")))
                    .as("files and folders forced to the disk, in turn")
                    .map(path -> path.contains(".molecule-") ? "draft" : "folder")
                    .containsExactly("folder", "draft", "folder", "draft", "folder");
        }
    }

    @Test
    void a_piece_is_replaced_where_it_stands_once_or_everywhere() throws Exception {
        assertThat(call("edit", "path", "notes.md", "old_text", "two", "new_text", "2"))
                .isEqualTo("Edited: notes.md.");
        assertThat(call("edit", "path", "notes.md", "old_text", "e", "new_text", "E"))
                .startsWith("Error: old_text stands in notes.md more than once");
        assertThat(call("edit", "path", "notes.md", "old_text", "zwei", "new_text", "2"))
                .startsWith("Error: old_text does not stand in notes.md");
        assertThat(folder.resolve("notes.md")).hasContent("one\n2\nthree\n");

        assertThat(run(
                        "edit",
                        JsonNodeFactory.instance
                                .objectNode()
                                .put("path", "notes.md")
                                .put("old_text", "e")
                                .put("new_text", "E")
                                .put("all", true)))
                .isEqualTo("Edited: notes.md.");
        assertThat(folder.resolve("notes.md")).hasContent("onE\n2\nthrEE\n");
    }

    @Test
    void edits_at_the_same_time_lose_nothing() throws Exception {
        call(
                "write",
                "path",
                "many.txt",
                "text",
                String.join(
                        "\n",
                        IntStream.range(0, 50).mapToObj(i -> "<" + i + ">").toList()));

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 50; i++) {
                String number = String.valueOf(i);
                var _ = threads.submit(
                        () -> call("edit", "path", "many.txt", "old_text", "<" + number + ">", "new_text", number));
            }
        }

        assertThat(folder.resolve("many.txt"))
                .hasContent(String.join(
                        "\n", IntStream.range(0, 50).mapToObj(String::valueOf).toList()));
    }

    @Test
    void folders_are_listed_and_files_found() throws Exception {
        assertThat(call("list")).isEqualTo("notes.md  14 bytes\nsrc/");
        assertThat(call("glob", "pattern", "**/*.java")).isEqualTo("src/One.java\nsrc/deep/Two.java");
        assertThat(call("glob", "pattern", "*.{md,txt}")).isEqualTo("notes.md");
        assertThat(call("glob", "pattern", "src/*.java", "path", "src")).isEqualTo("src/One.java");
        assertThat(call("glob", "pattern", "*.py")).isEqualTo("No file fits.");
        assertThat(call("search", "pattern", "class \\w+ \\{", "glob", "**/*.java"))
                .isEqualTo("src/One.java:1: class One {\nsrc/deep/Two.java:1: class Two {}");
        assertThat(call("search", "pattern", "secret")).isEqualTo("No line fits.");
    }

    /** Java's own patterns go back and forth over each of these lines for years. */
    @ParameterizedTest
    @ValueSource(strings = {"(a+)+$", "(a|aa)+$", "(.*a){12}$", "^(\\w+\\s?)*$", "(x+x+)+y", "(a|b|ab)*c$"})
    void a_pattern_that_would_go_back_and_forth_for_ever_is_answered(String pattern) throws Exception {
        Files.writeString(
                folder.resolve("long.txt"), "a".repeat(5_000) + "!\n" + "x".repeat(5_000) + "!\nthe end: a\n");

        assertThat(call("search", "pattern", pattern, "glob", "long.txt"))
                .isIn("No line fits.", "long.txt:3: the end: a");
    }

    @Test
    void a_glob_that_would_is_answered_too() throws Exception {
        String name = "a".repeat(200);
        Files.writeString(folder.resolve(name + ".txt"), "");

        assertThat(call("glob", "pattern", "*a".repeat(100) + ".md")).isEqualTo("No file fits.");
        assertThat(call("glob", "pattern", "*a".repeat(100) + ".txt")).isEqualTo(name + ".txt");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../outside.txt",
                "src/../../outside.txt",
                "/etc/hostname",
                "link",
                "linked/outside.txt",
                "hard",
                ".configs/.auth_token",
                "pipe"
            })
    void nothing_outside_is_reached(String path) throws Exception {
        Files.createSymbolicLink(folder.resolve("link"), home.resolve("outside.txt"));
        Files.createSymbolicLink(folder.resolve("linked"), home);
        Files.createLink(folder.resolve("hard"), home.resolve("outside.txt"));
        assertThat(new ProcessBuilder("mkfifo", folder.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();

        assertThat(call("read", "path", path)).startsWith("Error: ").doesNotContain("secret");
        assertThat(call("edit", "path", path, "old_text", "secret", "new_text", "x"))
                .startsWith("Error: ");
        if (!path.equals("hard")) { // the name is given to another file, the old one stays what it is
            assertThat(call("write", "path", path, "text", "x")).startsWith("Error: ");
        }
        assertThat(call("search", "pattern", "secret")).isEqualTo("No line fits.");

        assertThat(home.resolve("outside.txt")).hasContent("secret");
        assertThat(folder.resolve(".configs/.auth_token")).hasContent("secret");
    }

    @Test
    void writing_to_a_file_of_two_names_changes_only_the_one_inside() throws Exception {
        Files.createLink(folder.resolve("hard"), home.resolve("outside.txt"));

        assertThat(call("write", "path", "hard", "text", "mine")).startsWith("Written");

        assertThat(home.resolve("outside.txt")).hasContent("secret");
        assertThat(call("read", "path", "hard")).isEqualTo("mine");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "read | Error: path must be given, as a text",
                "write | Error: path must be given, as a text",
                "glob | Error: pattern must have 1 to 500 characters",
                "search | Error: pattern must be given, as a text"
            })
    void nonsense_is_answered_with_a_sentence(String tool, String sentence) throws Exception {
        assertThat(run(
                        tool,
                        JsonNodeFactory.instance.objectNode().put("path", 7).put("text", true)))
                .isEqualTo(sentence);
    }

    @Test
    void what_cannot_be_done_is_said_so() throws Exception {
        Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, 0, 1});
        Files.write(folder.resolve("large"), new byte[WorkFolder.FILE_MAX_BYTES + 1]);
        Files.write(folder.resolve("empty"), new byte[0]);

        assertThat(call("read", "path", "binary")).isEqualTo("Error: binary is no text in UTF-8");
        assertThat(call("read", "path", "large")).isEqualTo("Error: large is larger than 1 MiB");
        assertThat(call("read", "path", "empty")).isEqualTo("(the file is empty)");
        assertThat(call("read", "path", "src")).isEqualTo("Error: src is a folder");
        assertThat(call("read", "path", "no/where")).isEqualTo("Error: no/where does not exist");
        assertThat(call("list", "path", "notes.md")).startsWith("Error: notes.md cannot be used");
        assertThat(call("write", "path", "src", "text", "x")).isEqualTo("Error: src is no file");
        assertThat(call("write", "path", "notes.md/x", "text", "x")).startsWith("Error: notes.md/x cannot be used");
        assertThat(call("write", "path", "x", "text", "x".repeat(WorkFolder.FILE_MAX_BYTES + 1)))
                .isEqualTo("Error: x is larger than 1 MiB");
        assertThat(call("write", "path", "a/".repeat(40) + "x", "text", "x")).contains("is deeper than 32 folders");
        assertThat(call("search", "pattern", "("))
                .startsWith("Error: the pattern cannot be used: ( (patterns are those of RE2");
        assertThat(call("search", "pattern", "one(?!two)")).startsWith("Error: the pattern cannot be used: one(?!two)");
        assertThat(folder.resolve("x")).doesNotExist();
    }

    private String call(String tool, String... arguments) throws Exception {
        var json = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < arguments.length; i += 2) {
            json.put(arguments[i], arguments[i + 1]);
        }
        return run(tool, json);
    }

    private String run(String tool, JsonNode arguments) throws Exception {
        var nobody = new WorkspaceClient(ClientConfig.of("w", "http://127.0.0.1:1", TokenFile.in(Path.of("nowhere"))));
        return tools.stream()
                .filter(each -> each.name().equals(tool))
                .findFirst()
                .orElseThrow()
                .run(new Toolbox(new Workspaces(List.of(nobody)), Optional.empty()), arguments);
    }
}
