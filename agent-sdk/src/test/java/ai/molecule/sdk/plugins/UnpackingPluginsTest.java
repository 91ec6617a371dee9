package ai.molecule.sdk.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An archive from somebody else: a good one is unpacked, a hostile one reaches nothing outside its folder. */
class UnpackingPluginsTest {

    private static final ArchiveLimits SMALL = new ArchiveLimits(10_000, 20);

    @TempDir
    private Path temp;

    @Test
    void files_and_folders_are_unpacked_and_scripts_stay_executable() throws IOException {
        String deep = "d/".repeat(60) + "file.txt";
        Path folder = unpack(new TarBuilder()
                .folder("./")
                .folder("./skills/")
                .file("./skills/a.md", "hello")
                .executable("setup.sh", "exit 0")
                .gnuLongName(deep)
                .file("cut", "deep")
                .pax("18 path=näher.md\n")
                .file("cut", "pax"));

        assertThat(folder.resolve("skills/a.md")).hasContent("hello");
        assertThat(folder.resolve("setup.sh")).isExecutable();
        assertThat(Files.isExecutable(folder.resolve("skills/a.md"))).isFalse();
        assertThat(folder.resolve(deep)).hasContent("deep");
        assertThat(folder.resolve("näher.md")).hasContent("pax");
    }

    @Test
    void links_are_left_out() throws IOException {
        Path folder = unpack(
                new TarBuilder().special("soft", '2').special("hard", '1').file("real", "x"));

        assertThat(folder).isDirectoryContaining("glob:**real");
        assertThat(Files.exists(folder.resolve("soft"), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
    }

    static Stream<Arguments> hostile() {
        var many = new TarBuilder();
        for (int i = 0; i < 21; i++) {
            many.folder("f" + i);
        }
        return Stream.of(
                Arguments.of("a way up", new TarBuilder().file("../evil", "x"), "outside its folder"),
                Arguments.of(
                        "a way up in the middle", new TarBuilder().file("a/../../evil", "x"), "outside its folder"),
                Arguments.of("a folder above", new TarBuilder().folder("../evil/"), "outside its folder"),
                Arguments.of("an absolute path", new TarBuilder().file("/tmp/evil", "x"), "outside its folder"),
                Arguments.of(
                        "an absolute pax path",
                        new TarBuilder().pax("18 path=/tmp/evil\n").file("a", "x"),
                        "outside"),
                Arguments.of(
                        "a long way up", new TarBuilder().gnuLongName("../evil").file("a", "x"), "outside"),
                Arguments.of("a backslash", new TarBuilder().file("..\\evil", "x"), "cannot be used"),
                Arguments.of("no name", new TarBuilder().file("", "x"), "cannot be used"),
                Arguments.of("the folder as a file", new TarBuilder().file(".", "x"), "cannot be used"),
                Arguments.of(
                        "a NUL in a pax path",
                        new TarBuilder().pax("11 path=\0a\n").file("a", "x"),
                        "cannot be used"),
                Arguments.of("a character device", new TarBuilder().special("tty", '3'), "device"),
                Arguments.of("a block device", new TarBuilder().special("disk", '4'), "device"),
                Arguments.of("a pipe", new TarBuilder().special("pipe", '6'), "device"),
                Arguments.of("an unknown kind", new TarBuilder().special("x", 'S'), "unknown kind"),
                Arguments.of("a name twice", new TarBuilder().file("a", "1").file("a", "2"), "twice"),
                Arguments.of(
                        "a name twice, spelled anew",
                        new TarBuilder().file("a", "1").file("./b/../a", "2"),
                        "twice"),
                Arguments.of(
                        "a folder where a file is",
                        new TarBuilder().file("a", "1").folder("a/"),
                        "twice"),
                Arguments.of(
                        "a file below a file", new TarBuilder().file("a", "1").file("a/b", "2"), "twice"),
                Arguments.of(
                        "a file where a folder is",
                        new TarBuilder().folder("a/").file("a", "1"),
                        "twice"),
                Arguments.of("too many entries", many, "more than 20 entries"),
                Arguments.of("a large file", new TarBuilder().file("a", "x".repeat(10_001)), "more than 10000 bytes"),
                Arguments.of("a size that lies", new TarBuilder().headerOnly("a", 8_000_000_000L), "more than"),
                Arguments.of("an end too early", new TarBuilder().headerOnly("a", 5_000), "too early"),
                Arguments.of(
                        "a bomb",
                        new TarBuilder().special("l", '2', new byte[5_000_000]).file("a", ""),
                        "unpacks to"),
                Arguments.of("a long extended header", new TarBuilder().pax("9".repeat(70_000)), "too long"),
                Arguments.of("a malformed extended header", new TarBuilder().pax("99 path=a\n"), "malformed"),
                Arguments.of("an extended header of nothing", new TarBuilder().pax("0 \n"), "malformed"),
                Arguments.of(
                        "no tar",
                        new TarBuilder().raw("x".repeat(2_000).getBytes(StandardCharsets.UTF_8)),
                        "cannot be read"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostile")
    void a_hostile_archive_is_refused_and_nothing_lies_outside(String what, TarBuilder archive, String sentence)
            throws IOException {
        assertThatThrownBy(() -> unpack(archive))
                .isInstanceOf(PluginException.class)
                .hasMessageContaining(sentence);

        assertThat(temp).isDirectoryNotContaining("glob:**evil");
        assertThat(Path.of("/tmp/evil")).doesNotExist();
    }

    @Test
    void what_is_not_compressed_is_refused() {
        assertThatThrownBy(() -> PluginArchive.unpack("plain".getBytes(StandardCharsets.UTF_8), folder(), SMALL))
                .isInstanceOf(PluginException.class)
                .hasMessageContaining("gzip");
        assertThatThrownBy(() -> PluginArchive.unpack(new byte[0], folder(), SMALL))
                .isInstanceOf(PluginException.class);
    }

    private Path unpack(TarBuilder archive) throws IOException {
        Path folder = folder();
        PluginArchive.unpack(archive.gzipped(), folder, SMALL);
        return folder;
    }

    private Path folder() throws IOException {
        return Files.createDirectories(temp.resolve("folder"));
    }
}
