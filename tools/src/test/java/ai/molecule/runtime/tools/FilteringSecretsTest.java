package ai.molecule.runtime.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What looks like a credential leaves no workspace in what tools are shown to have said. */
class FilteringSecretsTest {

    private static final String LETTERS = "aB3dE5gH7jK9mN1pQ3sT";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ghp_%s",
                "gho_%s",
                "ghu_%s",
                "ghs_%s",
                "ghr_%s",
                "github_pat_%s",
                "glpat-%s",
                "xoxb-1234-%s",
                "xapp-1-%s",
                "sk-%s",
                "sk-ant-%s",
                "gsk_%s",
                "sk_live_%s",
                "AIza%1$s%1$s",
                "AKIAABCDEFGHIJKLMNOP",
                "-----BEGIN PRIVATE KEY-----\nMII%s\n-----END PRIVATE KEY-----",
                "-----BEGIN OPENSSH PRIVATE KEY-----\\n%s cut here"
            })
    void a_credential_is_taken_out_by_its_shape(String shape) {
        String credential = shape.formatted(LETTERS);

        assertThat(SecretFilter.redact("it is " + credential)).isEqualTo("it is [REDACTED]");
        assertThat(SecretFilter.redact("{\"out\":\"it is\\n" + credential)).isEqualTo("{\"out\":\"it is\\n[REDACTED]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token=%s",
                "API_KEY: %s",
                "{\"token\": \"%s\"}",
                "{\"access_token\":\"%s\"}",
                "{\\\"password\\\": \\\"%s\\\"}",
                "client_secret = '%s'",
                "\"api-key\":\"%s\""
            })
    void a_long_value_is_taken_out_behind_a_name_that_says_what_it_is(String text) {
        assertThat(SecretFilter.redact(text.formatted(LETTERS))).isEqualTo(text.formatted("[REDACTED]"));
    }

    @Test
    void other_texts_stay_as_they_are() {
        String text =
                "{\"max_tokens\": 4096, \"token\": \"short\"} sk-learn ghp_x -----BEGIN CERTIFICATE----- the token: see below";

        assertThat(SecretFilter.redact(text)).isEqualTo(text);
    }
}
