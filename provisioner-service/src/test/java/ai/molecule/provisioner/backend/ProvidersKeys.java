package ai.molecule.provisioner.backend;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.models.ProviderTable;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Secrets as somebody gives them who has a key for each provider there is. */
public final class ProvidersKeys {

    private ProvidersKeys() {}

    /** One for every name in the table that comes along. */
    public static Map<String, String> given(String key) {
        var names = ProviderTable.shipped().secrets();
        assertThat(names).contains("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "GROQ_API_KEY");
        return names.stream().collect(Collectors.toUnmodifiableMap(Function.identity(), name -> key));
    }
}
