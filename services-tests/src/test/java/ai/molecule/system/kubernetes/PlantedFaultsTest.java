package ai.molecule.system.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each fault of {@code faults.txt} is planted into a copy of the manifests, and must be found. */
class PlantedFaultsTest {

    /**
     * @param file below {@code k8s/}
     * @param where what is put together then
     * @param complaint a part of it
     */
    record Fault(String file, String where, String written, String instead, String complaint) {

        static Fault of(String line) {
            String[] parts = line.replace("\\n", "\n").split(" \\| ", -1);
            if (parts.length != 5) {
                throw new IllegalStateException("faults.txt: " + line);
            }
            return new Fault(parts[0], parts[1], parts[2], parts[3].equals("<none>") ? "" : parts[3], parts[4]);
        }

        @Override
        public String toString() {
            return "%s: %s".formatted(file, complaint);
        }
    }

    static Stream<Fault> faults() throws IOException {
        try (var table = Objects.requireNonNull(PlantedFaultsTest.class.getResourceAsStream("faults.txt"))) {
            return new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .map(Fault::of);
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void is_found(Fault fault, @TempDir Path folder) throws IOException {
        var copy = folder.resolve("k8s");
        var file = copy.resolve(fault.file());
        copy(Manifests.FOLDER, copy);
        var text = Files.readString(file);
        assertThat(text).contains(fault.written());
        Files.writeString(
                file, text.replaceFirst(Pattern.quote(fault.written()), Matcher.quoteReplacement(fault.instead())));

        assertThat(Manifests.complaints(copy, fault.where(), Files.createDirectory(folder.resolve("scratch"))))
                .anySatisfy(complaint -> assertThat(complaint).contains(fault.complaint()));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var found = Files.walk(from)) {
            for (Path path : found.toList()) {
                Files.copy(path, to.resolve(from.relativize(path)));
            }
        }
    }
}
