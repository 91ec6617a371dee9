package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who meets a type of this library first in an editor sees there how it is used. */
class DocumentationTest {

    private static final Pattern PUBLIC_TYPE =
            Pattern.compile("^public (sealed |final )*(class|interface|record|enum) ", Pattern.MULTILINE);

    @Test
    void every_public_type_shows_an_example() throws IOException {
        List<String> without;
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            without = sources.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> lacksExample(read(file)))
                    .map(file -> String.valueOf(file.getFileName()))
                    .toList();
        }

        assertThat(without).isEmpty();
    }

    private static boolean lacksExample(String source) {
        var type = PUBLIC_TYPE.matcher(source);
        return type.find() && !source.substring(0, type.start()).contains("<pre>{@code");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
