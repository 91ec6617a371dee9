package ai.molecule.runtime.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** By which name a configured model is asked at the platform's door. */
class NamingGivenModelsTest {

    private static final Predicate<String> NO_ALIAS = name -> false;

    @ParameterizedTest
    @CsvSource({
        "openai:gpt-5, openai:gpt-5",
        "gemini:flash, google:flash",
        "mine:one:two, mine:one:two",
        "gpt-5, openai:gpt-5",
        "fast, fast",
        "llama3:8b, openai:llama3:8b",
        "'', openai:gpt-5-mini",
        "anthropic:claude-opus-4-7, openai:gpt-5-mini"
    })
    void a_model_is_asked_by(String configured, String asked) {
        assertThat(given("anthropic:ANTHROPIC_API_KEY openai:+ google:+ mine:+", "openai:gpt-5-mini")
                        .named(configured, "fast"::equals))
                .isEqualTo(asked);
    }

    @Test
    void an_endpoint_of_ones_own_has_models_of_any_name() {
        var given = given("anthropic:ANTHROPIC_API_KEY openai:@", "openai:");

        assertThat(given.named("anthropic:claude-opus-4-7", NO_ALIAS)).isEqualTo("openai:claude-opus-4-7");
        assertThat(given.named("scripted", NO_ALIAS)).isEqualTo("openai:scripted");
    }

    @Test
    void what_is_missing_is_one_sentence() {
        var given = given("anthropic:ANTHROPIC_API_KEY openai:OPENAI_API_KEY", "");

        assertThatThrownBy(() -> given.named(AgentSetup.UNSAID_MODEL, NO_ALIAS))
                .isInstanceOf(NotReady.class)
                .hasMessage("no provider of models has a key");
        assertThatThrownBy(() -> given.named("anthropic:sonnet", NO_ALIAS))
                .hasMessage("model anthropic:sonnet has no key: provider anthropic wants the secret ANTHROPIC_API_KEY");
    }

    @Test
    void an_alias_needs_no_key_of_the_provider_that_names_without_one_are_of() {
        var given = given("anthropic:+ openai:OPENAI_API_KEY", "anthropic:haiku");

        assertThat(given.named("fast", "fast"::equals)).isEqualTo("fast");
        assertThatThrownBy(() -> given.named("slow", "fast"::equals)).isInstanceOf(NotReady.class);
    }

    @Test
    void an_agent_that_the_platform_did_not_start_has_no_door() {
        assertThat(GivenModels.in(Map.of("OPENAI_API_KEY", "sk-own"))).isEmpty();
    }

    private static GivenModels given(String providers, String nobodysChoice) {
        Map<String, String> environment = new HashMap<>();
        environment.put("MOLECULE_MODEL_DOOR", "http://127.0.0.1:1/models");
        environment.put("MOLECULE_MODEL_KEY", "sk-door");
        environment.put("MOLECULE_MODEL_PROVIDERS", providers);
        environment.put("MOLECULE_MODEL_DEFAULT", nobodysChoice);
        return GivenModels.in(environment).orElseThrow();
    }
}
