package ai.molecule.system.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of limits in docs/operations.md says the numbers that the sources have. */
class InputLimitsTest {

    private static final Path ROOT = Path.of("..");
    private static final String HEADING = "## Limits on what is read";
    private static final long MIB = 1024 * 1024;

    @ParameterizedTest
    @CsvSource({
        "JSON in a request, common/json/Json.java, DEPTH_MAX, # levels",
        "JSON in a request, common/json/Json.java, DIGITS_MAX, # digits",
        "JSON to an agent, runtime/a2a/Json.java, NESTING_MAX, # levels",
        "JSON to an agent, runtime/a2a/Json.java, TOKENS_MAX, # tokens",
        "YAML of an import, provisioner/yaml/BoundedYaml.java, MAX_CHARS, # MiB",
        "YAML of an import, provisioner/yaml/BoundedYaml.java, DEPTH_MAX, # levels",
        "YAML of an import, provisioner/yaml/BoundedYaml.java, ALIASES_MAX, # aliases",
        "YAML of an import, provisioner/yaml/BoundedYaml.java, VALUES_MAX, # values",
        "YAML of an import, provisioner/yaml/BoundedYaml.java, NUMBER_MAX_CHARS, # characters",
        "YAML of an import, sdk/BoundedYaml.java, MAX_CHARS, # MiB",
        "YAML of an import, sdk/BoundedYaml.java, DEPTH_MAX, # levels",
        "YAML of an import, sdk/BoundedYaml.java, ALIASES_MAX, # aliases",
        "YAML of an import, sdk/BoundedYaml.java, VALUES_MAX, # values",
        "YAML of an import, sdk/BoundedYaml.java, NUMBER_MAX_CHARS, # characters",
        "Files that an, provisioner/organisations/OrgYaml.java, BYTES_MAX, # MiB together",
        "Files that an, provisioner/organisations/OrgYaml.java, INCLUDE_DEPTH_MAX, # levels",
        "Policy (CEL), registry/policy/PolicyRule.java, REFUSE_WHEN_MAX_CHARS, # characters",
        "Policy (CEL), registry/policy/PolicyLanguage.java, DEPTH_MAX, # levels",
        "Approval rule (CEL), registry/deciders/PgApprovalRuleStore.java, MAX, # rules",
        "Approval rule (CEL), registry/deciders/Deciders.java, PEOPLE_MAX, # people",
        "Pattern in a policy, registry/policy/PatternSize.java, REPETITIONS_MAX, come to #;",
        "Pattern in a policy, registry/policy/PatternSize.java, WRITTEN_OUT_MAX, # parts",
        "Pattern of the, runtime/filetools/Patterns.java, CHARS_MAX, # characters",
        "Pattern of the, runtime/filetools/PatternSize.java, PARTS_MAX, # parts",
        "Pattern of the, runtime/filetools/Looking.java, FILES_MAX, # files",
        "Pattern of the, runtime/filetools/Looking.java, HITS_MAX, # hits",
        "Cron expression, common/schedules/CronExpression.java, YEARS_MAX, # years",
        "Title and brief, proxy/webhooks/Template.java, MAX_CHARS, # characters",
        "Title and brief, proxy/webhooks/Template.java, FILLED_MAX_CHARS, up to #",
        "Text of `session-search`, events/search/SessionQuery.java, TEXT_MAX_CHARS, # characters",
        "Text of `session-search`, common/db/Postgres.java, SEARCH_POOL_MAX, # searches at once",
        "Archive of a plugin, provisioner/plugins/sources/FetchLimits.java, ENTRIES_MAX, # entries",
        "Signed tokens, registry/keys/SignatureCheck.java, JWS_MAX_CHARS, # characters",
        "Signed tokens, sdk/identity/KeySet.java, JWS_MAX_CHARS, # characters",
        "Web page, runtime/fetch/PageLoader.java, BODY_MAX_BYTES, # MiB",
        "Web page, runtime/fetch/PageLoader.java, REDIRECTS_MAX, # redirects",
        "Web page, runtime/fetch/FetchTool.java, ANSWER_MAX_CHARS, # characters",
        "Line of an MCP server, runtime/mcp/LineReader.java, LINE_MAX_BYTES, # MiB",
        "Prices of models, common/models/ProviderFile.java, PRICE_DIGITS_MAX, # digits",
        "Price list, common/models/PriceList.java, PRICES_MAX, # prices",
        "Recorded model calls, proxy/models/CanonicalRequest.java, ORDINALS_MAX, # different",
        "File or page, web/piece.ts, READ_MAX, # characters",
        "File or page, web/reader.ts, BLOCKS_MAX, # blocks",
        "Difference of two, web/differences.ts, LINES_MAX, # lines",
    })
    void a_row_says_the_limit_that_the_source_has(String input, String source, String constant, String words) {
        long value = valueOf(source, constant);
        String said = words.contains("MiB") && value % MIB == 0
                ? words.replace("#", String.valueOf(value / MIB))
                : words.replace("#", String.format(Locale.ROOT, "%,d", value));

        assertThat(rowOf(input)).containsPattern("(?<![\\d,])" + Pattern.quote(said));
    }

    private static String rowOf(String input) {
        String text = read(ROOT.resolve("docs/operations.md"));
        return text.substring(text.indexOf(HEADING))
                .lines()
                .filter(line -> line.startsWith("| " + input))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no row for " + input));
    }

    /** A whole number, or a product of some. */
    private static long valueOf(String source, String constant) {
        var written = Pattern.compile("\\b" + constant + "(?:: number)? =\\s*([0-9_L* ]+);?")
                .matcher(read(sourceOf(source)));
        assertThat(written.find()).as(source + " " + constant).isTrue();
        return Arrays.stream(written.group(1).split("\\*"))
                .mapToLong(factor -> Long.parseLong(factor.replaceAll("[_L ]", "")))
                .reduce(1, (one, other) -> one * other);
    }

    private static Path sourceOf(String end) {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.flatMap(module ->
                            Stream.of("src/main/java/ai/molecule", "src/main").map(module::resolve))
                    .map(folder -> folder.resolve(end))
                    .filter(Files::isRegularFile)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no source " + end));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
