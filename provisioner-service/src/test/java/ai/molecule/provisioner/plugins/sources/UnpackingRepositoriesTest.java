package ai.molecule.provisioner.plugins.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.provisioner.plugins.sources.FetchFailure.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Archives of repositories, honest and hostile ones. */
class UnpackingRepositoriesTest {

    private static final FetchLimits LIMITS = new FetchLimits(
            1024 * 1024, 20, System.nanoTime() + Duration.ofHours(1).toNanos());

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temp;

    private Path files = Path.of("");

    @BeforeEach
    void makeFolder() throws IOException {
        files = Files.createDirectories(temp.resolve("place").resolve("files"));
    }

    @Test
    void everything_below_the_one_folder_comes_out() throws IOException {
        String deep = "a-folder-with-a-long-name/".repeat(10) + "naïve.txt";

        unpack(new Tarball()
                .folder("notes-1a2b3c/")
                .file("notes-1a2b3c/plugin.yaml", "name: notes")
                .executable("notes-1a2b3c/setup.sh", "echo")
                .folder("notes-1a2b3c/empty/")
                .file("notes-1a2b3c/" + deep, "deep")
                .gzipped());

        assertThat(files.resolve("plugin.yaml")).hasContent("name: notes");
        assertThat(files.resolve(deep)).hasContent("deep");
        assertThat(files.resolve("empty")).isEmptyDirectory();
        assertThat(Files.isExecutable(files.resolve("setup.sh"))).isTrue();
        assertThat(Files.isExecutable(files.resolve("plugin.yaml"))).isFalse();
    }

    @Test
    void links_are_left_out_and_nothing_is_written_through_them() throws IOException {
        unpack(new Tarball()
                .file("p/real", "1")
                .link("p/soft", "/etc/passwd")
                .hardLink("p/hard", "/etc/passwd")
                .link("p/out", "../..")
                .file("p/out/evil", "2")
                .gzipped());

        assertThat(files.resolve("real")).exists();
        assertThat(files.resolve("soft")).doesNotExist();
        assertThat(files.resolve("hard")).doesNotExist();
        assertThat(files.resolve("out/evil")).hasContent("2");
        assertThat(temp.resolve("evil")).doesNotExist();
    }

    static Stream<Arguments> unusable() {
        var noise = new byte[4096];
        new Random(1).nextBytes(noise);
        return Stream.of(
                Arguments.of("way out", new Tarball().file("p/../../evil", "x").gzipped()),
                Arguments.of(
                        "way out at the end", new Tarball().folder("p/a/..").gzipped()),
                Arguments.of(
                        "way out as a long name",
                        new Tarball()
                                .file("p/" + "a".repeat(150) + "/../../evil", "x")
                                .gzipped()),
                Arguments.of("absolute", new Tarball().file("/p/evil", "x").gzipped()),
                Arguments.of("backslash", new Tarball().file("p/..\\evil", "x").gzipped()),
                Arguments.of(
                        "control character", new Tarball().file("p/a\nb", "x").gzipped()),
                Arguments.of("no name", new Tarball().file("p//evil", "x").gzipped()),
                Arguments.of(
                        "too deep",
                        new Tarball().file("p/" + "a/".repeat(40) + "b", "x").gzipped()),
                Arguments.of(
                        "name too long",
                        new Tarball().file("p/" + "a".repeat(256), "x").gzipped()),
                Arguments.of(
                        "two folders",
                        new Tarball().file("p/a", "x").file("q/b", "x").gzipped()),
                Arguments.of(
                        "file without a folder", new Tarball().file("p", "x").gzipped()),
                Arguments.of(
                        "device",
                        new Tarball().special("p/disk", TarConstants.LF_BLK).gzipped()),
                Arguments.of(
                        "terminal",
                        new Tarball().special("p/tty", TarConstants.LF_CHR).gzipped()),
                Arguments.of(
                        "pipe",
                        new Tarball().special("p/pipe", TarConstants.LF_FIFO).gzipped()),
                Arguments.of(
                        "unknown kind",
                        new Tarball().special("p/what", (byte) 'Z').gzipped()),
                Arguments.of(
                        "same name twice",
                        new Tarball().file("p/a", "1").file("p/a", "2").gzipped()),
                Arguments.of(
                        "file where a folder is",
                        new Tarball().file("p/a/b", "1").file("p/a", "2").gzipped()),
                Arguments.of(
                        "folder where a file is",
                        new Tarball().file("p/a", "1").file("p/a/b", "2").gzipped()),
                Arguments.of(
                        "case clash",
                        new Tarball()
                                .file("p/README", "1")
                                .file("p/Readme", "2")
                                .gzipped()),
                Arguments.of(
                        "case clash of folders",
                        new Tarball().file("p/A/x", "1").file("p/a/y", "2").gzipped()),
                Arguments.of(
                        "accents",
                        new Tarball()
                                .file("p/\u00e9", "1")
                                .file("p/e\u0301", "2")
                                .gzipped()),
                Arguments.of("endless name", new Tarball().longName(10_000_000).gzipped()),
                Arguments.of("cut", new Tarball().promise("p/a", 1000).cut()),
                Arguments.of("empty", new Tarball().gzipped()),
                Arguments.of("no gzip", noise),
                Arguments.of("no tar", Tarball.gzip(noise)),
                Arguments.of(
                        "damaged gzip",
                        damaged(new Tarball().file("p/a", "1".repeat(5000)).gzipped())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unusable")
    void what_no_honest_repository_sends_is_refused(String what, byte[] archive) {
        assertThatThrownBy(() -> unpack(archive))
                .isInstanceOfSatisfying(
                        FetchFailure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Kind.UNUSABLE));
        assertThat(temp.toFile().list()).containsOnly("place", "archive");
        assertThat(temp.resolve("place").toFile().list()).containsExactly("files");
    }

    static Stream<Arguments> tooLarge() {
        var many = new Tarball();
        for (int i = 0; i < 30; i++) {
            many.file("p/" + i, "");
        }
        var links = new Tarball();
        for (int i = 0; i < 30; i++) {
            links.link("p/" + i, "x");
        }
        return Stream.of(
                Arguments.of(
                        "bomb", new Tarball().zeros("p/zeros", 2 * 1024 * 1024).gzipped()),
                Arguments.of(
                        "several files",
                        new Tarball()
                                .zeros("p/a", 700_000)
                                .zeros("p/b", 700_000)
                                .gzipped()),
                Arguments.of("promised", new Tarball().promise("p/a", 1L << 32).cut()),
                Arguments.of("many entries", many.gzipped()),
                Arguments.of("many links", links.gzipped()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("tooLarge")
    void what_is_larger_than_allowed_is_refused(String what, byte[] archive) {
        assertThatThrownBy(() -> unpack(archive))
                .isInstanceOfSatisfying(
                        FetchFailure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Kind.TOO_LARGE));
    }

    @Test
    void a_time_that_is_over_ends_it() {
        byte[] archive = new Tarball().file("p/a", "x").gzipped();

        assertThatThrownBy(() -> unpack(archive, new FetchLimits(1000, 10, System.nanoTime() - 1)))
                .isInstanceOfSatisfying(
                        FetchFailure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Kind.TIMED_OUT));
    }

    private void unpack(byte[] archive) throws IOException {
        unpack(archive, LIMITS);
    }

    private void unpack(byte[] archive, FetchLimits limits) throws IOException {
        PluginTarball.unpack(Files.write(temp.resolve("archive"), archive), files, limits);
    }

    private static byte[] damaged(byte[] archive) {
        archive[archive.length / 2] ^= 0x55;
        return archive;
    }
}
