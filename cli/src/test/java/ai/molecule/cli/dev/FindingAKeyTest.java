package ai.molecule.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.agent.AgentSetup;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the agent of a folder asks its model, by the keys that its author has. */
class FindingAKeyTest {

    private static final Map<String, String> BOTH = Map.of("OPENAI_API_KEY", "sk-o", "ANTHROPIC_API_KEY", "sk-a");

    @ParameterizedTest
    @CsvSource({
        "anthropic:claude-haiku-4-5, https://api.anthropic.com/v1, sk-a",
        "openai:gpt-5, https://api.openai.com/v1, sk-o",
        "ollama:llama3:8b, http://127.0.0.1:11434/v1, ''"
    })
    void a_model_is_asked_at_its_provider_with_that_ones_key(String model, String url, String key) {
        assertThat(KeysAtHand.with(BOTH, model))
                .containsEntry("OPENAI_BASE_URL", url)
                .containsEntry("OPENAI_API_KEY", key)
                .containsEntry("MODEL_PROVIDER", model);
    }

    @Test
    void where_no_model_is_said_the_provider_whose_key_is_there_says_it() {
        assertThat(KeysAtHand.with(BOTH, AgentSetup.UNSAID_MODEL))
                .containsEntry("MODEL_PROVIDER", "anthropic:claude-sonnet-5-5")
                .containsEntry("OPENAI_API_KEY", "sk-a");
        assertThat(KeysAtHand.with(Map.of("GEMINI_API_KEY", "g"), AgentSetup.UNSAID_MODEL))
                .containsEntry("MODEL_PROVIDER", "google:gemini-2.5-flash")
                .containsEntry("OPENAI_API_KEY", "g");
    }

    @Test
    void an_address_of_ones_own_stays_and_so_does_what_no_key_fits() {
        var own = Map.of("OPENAI_BASE_URL", "http://127.0.0.1:1/v1", "ANTHROPIC_API_KEY", "sk-a");

        assertThat(KeysAtHand.with(own, "anthropic:x")).isEqualTo(own);
        assertThat(KeysAtHand.with(BOTH, "groq:x")).isEqualTo(BOTH);
        assertThat(KeysAtHand.with(Map.of(), AgentSetup.UNSAID_MODEL)).isEmpty();
    }
}
