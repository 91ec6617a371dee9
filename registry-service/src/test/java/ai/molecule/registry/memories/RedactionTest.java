package ai.molecule.registry.memories;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What never reaches the database. */
class RedactionTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "use OPENAI_API_KEY=abc now|use [REDACTED:API_KEY] now",
                "openai_api_key=abc|[REDACTED:API_KEY]",
                "GH_TOKEN=abc,def|[REDACTED:TOKEN]",
                "a.my_Secret=x y|a.[REDACTED:SECRET] y",
                "Authorization: Bearer a.b-c rest|Authorization: [REDACTED:BEARER_TOKEN] rest",
                "key sk-abcdefghijklmnop.|key [REDACTED:SK_TOKEN].",
                "sk-short|sk-short",
                "ctx7_aB9 rest|[REDACTED:CTX7_TOKEN] rest",
                "abcdefghijklmnopqrstuvwxyz0123456==|[REDACTED:BASE64_BLOB]",
                "abcdefghijklmnopqrstuvwxyz012345|abcdefghijklmnopqrstuvwxyz012345",
                "6f1e2d3c-0000-4000-8000-000000000000|6f1e2d3c-0000-4000-8000-000000000000",
                "X_API_KEY=Bearer A_TOKEN=1 sk-abcdefghijklmnop|[REDACTED:API_KEY] [REDACTED:TOKEN] [REDACTED:SK_TOKEN]",
                "the bearer of a token = good news|the bearer of a token = good news"
            })
    void secrets_are_replaced_by_their_label(String text, String redacted) {
        assertThat(Redaction.of(text)).isEqualTo(redacted);
    }

    @Test
    void a_text_made_to_be_slow_is_not() {
        String name = "a".repeat(500_000);

        assertThat(Redaction.of(name + "_API_KEY " + "_TOKEN".repeat(80_000) + "=x"))
                .contains("[REDACTED:TOKEN]");
    }
}
