package ai.molecule.runtime.a2a;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.testkit.Documents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/wire/runtime.md lists the routes an agent has, with their guards, and the codes it answers. */
class RuntimeDocumentTest {

    private static final Pattern ROUTE =
            Pattern.compile("^\\| `(GET|POST|DELETE) (/[^`]*)` \\| ([A-Z]+) \\|", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("^\\| (-\\d+) \\|", Pattern.MULTILINE);

    private final String document = read();

    @Test
    void the_document_and_the_server_list_the_same_routes() {
        assertThat(ROUTE.matcher(document).results().map(found -> found.group(1) + found.group(2) + found.group(3)))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Route.values())
                        .map(route -> route.method() + route.path() + route.guard())
                        .toList());
    }

    @Test
    void the_document_and_the_server_know_the_same_codes() {
        assertThat(CODE.matcher(document).results().map(found -> Integer.valueOf(found.group(1))))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(A2aError.values()).map(A2aError::code).toList());
    }

    private static String read() {
        try {
            return Files.readString(Documents.WIRE_RUNTIME);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
