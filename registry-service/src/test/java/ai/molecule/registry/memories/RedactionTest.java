package ai.molecule.registry.memories;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
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
                "gho_abcdefghijklmnopqrst, glpat-abcdefghij_klmnopqrs|[REDACTED:GITHUB_TOKEN], [REDACTED:GITLAB_TOKEN]",
                "xoxb-1234567890 xoxb-12|[REDACTED:SLACK_TOKEN] xoxb-12",
                "AIzaabcdefghij-abcdefghij_abcdefghij|[REDACTED:GOOGLE_KEY]",
                "a -----BEGIN RSA PRIVATE KEY-----MIIE-----END RSA PRIVATE KEY----- b|a [REDACTED:PRIVATE_KEY] b",
                "-----BEGIN PRIVATE KEY-----MIIE|[REDACTED:PRIVATE_KEY]",
                "-----BEGIN CERTIFICATE-----MIIE|-----BEGIN CERTIFICATE-----MIIE",
                "the bearer of a token = good news|the bearer of a token = good news"
            })
    void secrets_are_replaced_by_their_label(String text, String redacted) {
        assertThat(Redaction.of(text)).isEqualTo(redacted);
    }

    @Test
    void several_are_replaced_and_the_rest_stays() {
        String blob = "A".repeat(33);

        assertThat(Redaction.of("a_TOKEN=1 b_TOKEN=2\tc_TOKEN= sk-%s,sk-%s".formatted("x".repeat(16), "y".repeat(15))))
                .isEqualTo("[REDACTED:TOKEN] [REDACTED:TOKEN]\tc_TOKEN= [REDACTED:SK_TOKEN],sk-" + "y".repeat(15));
        assertThat(Redaction.of("%s===, %sA.%s".formatted(blob, blob, "b".repeat(32))))
                .isEqualTo("[REDACTED:BASE64_BLOB]=, [REDACTED:BASE64_BLOB]." + "b".repeat(32));
    }

    @Property(tries = 300)
    void what_is_left_holds_no_secret_and_is_not_redacted_again(@ForAll("texts") String text) {
        String redacted = Redaction.of(text);

        assertThat(redacted)
                .doesNotContainPattern("(?i)_(API_KEY|TOKEN|SECRET)=\\S")
                .doesNotContainPattern("Bearer \\S|sk-[\\w-]{16}|ctx7_[A-Za-z0-9]|[A-Za-z0-9+/]{33}");
        assertThat(Redaction.of(redacted)).isEqualTo(redacted);
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of(
                        "_API_KEY=",
                        "_token=",
                        "X_SECRET",
                        "=",
                        "Bearer ",
                        "sk-",
                        "ctx7_",
                        " ",
                        "\n",
                        "abc",
                        "/+9",
                        "-_",
                        "0123456789",
                        "é")
                .list()
                .ofMaxSize(25)
                .map(parts -> String.join("", parts));
    }

    @Test
    void a_text_made_to_be_slow_is_not() {
        String names = "a".repeat(500_000) + "_API_KEY " + "_TOKEN".repeat(80_000) + "=x";
        String nothing = "a_TOKEN= sk-x Bearer  ctx7_ = -----BEGIN ghp_x".repeat(30_000);

        assertThat(Redaction.of(names)).isEqualTo("[REDACTED:BASE64_BLOB]_API_KEY [REDACTED:TOKEN]");
        assertThat(Redaction.of(nothing)).isEqualTo(nothing);
    }
}
