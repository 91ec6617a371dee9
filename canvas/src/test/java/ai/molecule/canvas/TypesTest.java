package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The strict types of the sources, checked by the compiler that only Node runs; the bundler drops types unread. Skipped where there is no Node. */
class TypesTest {

    private static final String COMPILER = "/META-INF/resources/webjars/typescript/6.0.3/lib";

    @Test
    void every_source_has_its_types_right(@TempDir Path folder) throws Exception {
        assumeTrue(runs("node", "--version"), "no node on the PATH");
        var modules = unpackDeclarations(folder);
        var compiler = copyCompiler(folder);
        Path target = Path.of("target").toAbsolutePath();
        String config = Files.readString(target.resolve("tsconfig.json"))
                .replace(target.resolve("web-modules").toString(), modules.toString())
                .replaceFirst(
                        "\"compilerOptions\": \\{",
                        "\"files\": " + sources() + ", \"compilerOptions\": { \"noEmit\": true,");
        Path configured = Files.writeString(folder.resolve("tsconfig.json"), config);

        var check = new ProcessBuilder("node", compiler.toString(), "-p", configured.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(check.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(said).isEmpty();
    }

    private static boolean runs(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    private static String sources() throws IOException {
        try (Stream<Path> main = Files.list(Path.of("src", "main", "web"));
                Stream<Path> test = Files.list(Path.of("src", "test", "web"))) {
            return Stream.concat(main, test)
                    .filter(file -> file.toString().endsWith(".ts"))
                    .map(file -> '"' + file.toAbsolutePath().toString() + '"')
                    .collect(Collectors.joining(",", "[", "]"));
        }
    }

    /** The libraries' scripts, and beside them the declarations that their jars carry in an archive of its own. */
    private static Path unpackDeclarations(Path folder) throws IOException, InterruptedException {
        Path modules = Files.createDirectory(folder.resolve("web-modules"));
        Path from = Path.of("target", "web-modules", "META-INF").toAbsolutePath();
        assertThat(runs("cp", "-r", from.toString(), modules.toString())).isTrue();
        var archives = TypesTest.class
                .getClassLoader()
                .getResources("META-INF/.more.tgz")
                .asIterator();
        while (archives.hasNext()) {
            try (var in = archives.next().openStream()) {
                Path archive = Files.write(folder.resolve("more.tgz"), in.readAllBytes());
                assertThat(runs(
                                "tar",
                                "xzf",
                                archive.toString(),
                                "-C",
                                modules.resolve("META-INF").toString()))
                        .isTrue();
            }
        }
        return modules;
    }

    private static Path copyCompiler(Path folder) throws Exception {
        Path lib = Files.createDirectories(folder.resolve("typescript").resolve("lib"));
        var inJar = Objects.requireNonNull(TypesTest.class.getResource(COMPILER + "/tsc.js"))
                .toURI();
        try (var jar = FileSystems.newFileSystem(inJar, Map.of());
                Stream<Path> files = Files.list(jar.getPath(COMPILER))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, lib.resolve(file.getFileName().toString()));
            }
        }
        return lib.resolve("tsc.js");
    }
}
