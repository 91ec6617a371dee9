package ai.molecule.system.operations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.testkit.Documents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The attributes of spans, in every module, are those of the table in docs/wire/traces.md, which names the version of the conventions. */
class NamingSpansTest {

    private static final Path ROOT = Path.of("..");
    private static final Path TABLE = Documents.WIRE_TRACES;
    private static final List<String> MODULES =
            List.of("common", "proxy-service", "agent-sdk", "tools", "workspace-runtime");

    /** A name of the conventions, or one of ours, where attributes are written. */
    private static final Pattern ATTRIBUTE = Pattern.compile(
            "\"((?:gen_ai|mcp|a2a|http|server|url|rpc|network|error|messaging|db|molecule\\.(?:workspace|passport))\\.[a-z_.]+)\"");

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z0-9_.]+)` \\| (?!client|server|internal)");
    private static final Pattern VERSION = Pattern.compile("version (\\d+\\.\\d+\\.\\d+)");

    @Test
    void every_attribute_that_is_sent_stands_in_the_table_and_every_one_there_is_sent() throws IOException {
        var listed = new TreeSet<String>();
        ROW.matcher(Files.readString(TABLE)).results().forEach(row -> listed.add(row.group(1)));

        var sent = new TreeSet<String>();
        sources().forEach(source -> attributesIn(source).forEach(sent::add));
        sent.remove("db.system"); // so Vert.x calls what is sent as db.system.name

        assertThat(sent).hasSizeGreaterThan(10).isEqualTo(listed);
    }

    @Test
    void the_version_of_the_conventions_is_that_of_the_code() throws IOException {
        String code = Files.readString(ROOT.resolve("common/src/main/java/ai/molecule/common/tracing/GenAiFacts.java"));

        assertThat(versionIn(Files.readString(TABLE))).isEqualTo(versionIn(code));
    }

    private static String versionIn(String text) {
        var found = VERSION.matcher(text);
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    private static List<Path> sources() throws IOException {
        var all = MODULES.stream().flatMap(module -> {
            try (var files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        });
        return all.filter(NamingSpansTest::writesAttributes).toList();
    }

    /** What is written elsewhere by such names is something else, as {@code a2a.port} of a configuration. */
    private static boolean writesAttributes(Path source) {
        String text = read(source);
        return source.toString().contains("/tracing/")
                || source.toString().contains("/traces/")
                || text.contains(".fact(\"")
                || text.contains("SpanOutlet");
    }

    private static Stream<String> attributesIn(Path source) {
        return ATTRIBUTE.matcher(read(source)).results().map(found -> found.group(1)).toList().stream();
    }

    private static String read(Path source) {
        try {
            return Files.readString(source);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
