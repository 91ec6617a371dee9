package ai.molecule.system.operations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.testkit.Documents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of faults in docs/operations.md: each row names tests that exist, and each test of a fault stands in a row. */
class FaultTableTest {

    private static final Path ROOT = Path.of("..");
    private static final String HEADING = "## What fails and what hangs";
    private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|IT))(?:\\.(\\w+))?`");

    /** Words by which the name of a test says that it takes something away, stops it, or lets it stand still. */
    private static final Pattern FAULT =
            Pattern.compile("Losing|Lost|Kill|Still|Hang|Silent|Outliv|Dying|Differing|Rolling");

    @Test
    void every_row_names_a_test_and_every_test_is_there() throws IOException {
        var sources = tests();
        assertThat(rows()).hasSizeGreaterThan(15).allSatisfy(row -> {
            var named = namedIn(row);
            assertThat(named).as(row).isNotEmpty();
            for (var test : named) {
                assertThat(sources).as(row).containsKey(test.group(1));
                if (test.group(2) != null) {
                    assertThat(Files.readString(sources.get(test.group(1))))
                            .as(row)
                            .contains("void " + test.group(2) + "(");
                }
            }
        });
    }

    @Test
    void every_test_of_a_fault_stands_in_a_row() throws IOException {
        var named = rows().stream()
                .flatMap(row -> namedIn(row).stream())
                .map(test -> test.group(1))
                .collect(Collectors.toSet());

        assertThat(faultTests()).isNotEmpty().isSubsetOf(named);
    }

    private static Set<String> faultTests() throws IOException {
        return tests().entrySet().stream()
                .filter(test -> FAULT.matcher(test.getKey()).find() || isSystemFault(test.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static boolean isSystemFault(Path source) {
        return Objects.requireNonNull(source.getParent()).endsWith("system/faults");
    }

    /** The source of each test class of the house, by its name. */
    private static Map<String, Path> tests() throws IOException {
        try (var modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .flatMap(FaultTableTest::below)
                    .collect(Collectors.toMap(FaultTableTest::nameOf, source -> source, (one, other) -> one));
        }
    }

    private static Stream<Path> below(Path folder) {
        try (var files = Files.walk(folder)) {
            return files.filter(file -> nameOf(file).matches("\\w+(Test|IT)")).toList().stream();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String nameOf(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    private static List<MatchResult> namedIn(String row) {
        return NAMED.matcher(row).results().toList();
    }

    private static List<String> rows() throws IOException {
        return Files.readAllLines(Documents.OPERATIONS).stream()
                .dropWhile(line -> !line.equals(HEADING))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| "))
                .skip(1)
                .toList();
    }
}
