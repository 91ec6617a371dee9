package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The library is for Java 17: tests that touch sockets, threads and files run again on a JDK 17. With {@code MOLECULE_RERUN_ON_JDK17=1},
 * as CI sets it, because they need some time; skipped where there is none.
 */
class RunningOnJdk17Test {

    private static final int JAVA_17_CLASS_FILES = 61;

    private static final List<String> CLASSES = List.of(
            "ai.molecule.sdk.RunningAnAgentTest",
            "ai.molecule.sdk.PollingTest",
            "ai.molecule.sdk.PushingTest",
            "ai.molecule.sdk.CallingPeersTest",
            "ai.molecule.sdk.FindingPeersTest",
            "ai.molecule.sdk.TalkingToPeersTest",
            "ai.molecule.sdk.ReadingAndReplyingTest",
            "ai.molecule.sdk.RegisteringTest",
            "ai.molecule.sdk.KeepingTheTokenTest",
            "ai.molecule.sdk.InstallingPluginsTest",
            "ai.molecule.sdk.plugins.UnpackingPluginsTest",
            "ai.molecule.sdk.plugins.SummingPluginsTest",
            "ai.molecule.sdk.plugins.ValidatingTest");

    @TempDir
    private Path temp;

    @Test
    void the_tests_pass_on_a_jdk_17_too() throws Exception {
        assumeThat(System.getenv("MOLECULE_RERUN_ON_JDK17")).isEqualTo("1");
        Optional<Path> java = jdk17();
        assumeThat(java).as("a JDK 17 on this machine").isPresent();
        assumeThat(classFileVersion()).as("compiled for Java 17").isLessThanOrEqualTo(JAVA_17_CLASS_FILES);

        List<String> command = new ArrayList<>(List.of(
                java.orElseThrow().toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Jdk17Runner.class.getName()));
        command.addAll(CLASSES);
        Path output = temp.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }

        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        System.out.println(
                Files.readString(output).lines().reduce((one, last) -> last).orElse(""));
    }

    /** From {@code JAVA17_HOME}, or where Linux distributions put their JDKs. */
    private static Optional<Path> jdk17() throws IOException {
        List<Path> homes = new ArrayList<>();
        Optional.ofNullable(System.getenv("JAVA17_HOME")).map(Path::of).ifPresent(homes::add);
        Path installed = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(installed)) {
            try (Stream<Path> found = Files.list(installed)) {
                found.sorted().forEach(homes::add);
            }
        }
        for (Path home : homes) {
            Path release = home.resolve("release");
            if (Files.isReadable(release) && Files.readString(release).contains("JAVA_VERSION=\"17")) {
                return Optional.of(home.resolve("bin/java")).filter(Files::isExecutable);
            }
        }
        return Optional.empty();
    }

    private static int classFileVersion() throws IOException {
        try (var in = RunningOnJdk17Test.class.getResourceAsStream("RunningOnJdk17Test.class");
                var data = new DataInputStream(Objects.requireNonNull(in))) {
            data.readInt();
            data.readUnsignedShort();
            return data.readUnsignedShort();
        }
    }
}
