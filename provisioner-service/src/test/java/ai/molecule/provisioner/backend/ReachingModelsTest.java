package ai.molecule.provisioner.backend;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.ModelKey;
import ai.molecule.common.config.Env;
import ai.molecule.common.config.Environment;
import ai.molecule.common.models.ProviderTable;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an agent gets in the place of providers' keys. */
class ReachingModelsTest {

    private static final String KEY = ModelKey.of("token");

    @Test
    void no_key_and_no_address_of_a_provider_is_told() {
        var told = told(Map.of(
                "ANTHROPIC_API_KEY", "sk-ant-real",
                "GROQ_API_KEY", "gsk-real",
                "AZURE_OPENAI_BASE_URL", "https://real.example/v1",
                "FINE", "yes"));

        assertThat(told.values()).noneMatch(value -> value.contains("real"));
        assertThat(told)
                .containsEntry("FINE", "yes")
                .containsEntry("ANTHROPIC_API_KEY", KEY)
                .containsEntry("GROQ_API_KEY", KEY)
                .containsEntry("MOLECULE_MODEL_KEY", KEY)
                .doesNotContainKey("AZURE_OPENAI_BASE_URL");
        assertThat(told.get("MOLECULE_MODEL_PROVIDERS"))
                .contains("anthropic:+", "groq:+", "azure-openai:@", "openai:OPENAI_API_KEY", "ollama:+");
    }

    @Test
    void programs_of_a_protocol_that_somebody_speaks_find_the_door() {
        var addresses = ModelVariables.addresses(told(Map.of("ANTHROPIC_API_KEY", "real")), "http://front:8080/");

        assertThat(addresses)
                .isEqualTo(Map.of(
                        "MOLECULE_MODEL_DOOR", "http://front:8080/models",
                        "OPENAI_BASE_URL", "http://front:8080/models/openai/v1",
                        "ANTHROPIC_BASE_URL", "http://front:8080/models/anthropic"));
    }

    @Test
    void a_program_keeps_its_own_login_where_nobody_gave_a_key() {
        var told = told(Map.of("CLAUDE_CODE_OAUTH_TOKEN", "its own"));

        assertThat(told)
                .containsEntry("CLAUDE_CODE_OAUTH_TOKEN", "its own")
                .doesNotContainKeys("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "MOLECULE_MODEL_DEFAULT");
        assertThat(ModelVariables.addresses(told, "http://front:8080")).containsOnlyKeys("MOLECULE_MODEL_DOOR");
    }

    @Test
    void nobodys_choice_is_the_first_provider_that_somebody_gave_a_key_for() {
        assertThat(told(Map.of("GEMINI_API_KEY", "g", "OPENAI_API_KEY", "o")).get("MOLECULE_MODEL_DEFAULT"))
                .startsWith("openai:");
        assertThat(told(Map.of("OPENAI_BASE_URL", "http://own:1/v1")).get("MOLECULE_MODEL_DEFAULT"))
                .isEqualTo("openai:");
        assertThat(told(Map.of("OPENAI_API_KEY", " "))).doesNotContainKey("MOLECULE_MODEL_DEFAULT");
    }

    @Test
    void while_recordings_answer_nobody_wants_a_key() {
        var env = new Env(Map.of("MOLECULE_MODELS", "replay"));
        var told = ModelVariables.inPlaceOf(Map.of(), ProviderTable.fromEnv(env), "token");

        assertThat(told.get("MOLECULE_MODEL_PROVIDERS")).contains("anthropic:+", "openai:+");
        assertThat(told).containsEntry("OPENAI_API_KEY", KEY).containsEntry("GEMINI_API_KEY", KEY);
        assertThat(AgentDefaults.fromEnv(env, Environment.DEVELOPMENT).whatIsGiven(Map.of()))
                .containsKey("GROQ_API_KEY");
    }

    private static Map<String, String> told(Map<String, String> secrets) {
        return ModelVariables.inPlaceOf(secrets, ProviderTable.shipped(), "token");
    }
}
