package ai.molecule.cli.dev;

import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.Provider;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.runtime.agent.AgentSetup;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Leads an agent without a platform to the provider whose key its author has, at the address that the table of providers knows. */
final class KeysAtHand {

    private static final String URL = "OPENAI_BASE_URL";
    private static final String MODEL = "MODEL_PROVIDER";

    private KeysAtHand() {}

    /**
     * The environment with what leads there; as it is when it names an address, or no key fits.
     *
     * @param configured the model that {@code config.yaml} says
     */
    static Map<String, String> with(Map<String, String> environment, String configured) {
        String model = environment.getOrDefault(MODEL, configured).strip();
        if (!environment.getOrDefault(URL, "").isBlank()) {
            return environment;
        }
        boolean unsaid = model.isEmpty() || model.equals(AgentSetup.UNSAID_MODEL);
        return unsaid
                ? ProviderTable.shipped().all().stream()
                        .filter(provider -> provider.secret() != null && provider.defaultModel() != null)
                        .filter(provider -> isOpen(provider, environment))
                        .findFirst()
                        .map(provider -> led(environment, provider, provider.name() + ":" + provider.defaultModel()))
                        .orElse(environment)
                : named(model)
                        .filter(provider -> isOpen(provider, environment))
                        .map(provider -> led(environment, provider, model))
                        .orElse(environment);
    }

    private static Optional<Provider> named(String model) {
        String name = model.substring(0, Math.max(0, model.indexOf(':')));
        return ProviderTable.shipped().all().stream()
                .filter(provider -> provider.name().equals(name))
                .findFirst();
    }

    private static boolean isOpen(Provider provider, Map<String, String> environment) {
        return provider.endpoints().containsKey(ModelProtocol.OPENAI)
                && (provider.secret() == null
                        || !key(provider.secret(), environment).isEmpty());
    }

    private static Map<String, String> led(Map<String, String> environment, Provider provider, String model) {
        Map<String, String> led = new HashMap<>(environment);
        led.put(URL, String.valueOf(provider.endpoints().get(ModelProtocol.OPENAI)));
        led.put("OPENAI_API_KEY", key(provider.secret(), environment));
        led.put(MODEL, model);
        return led;
    }

    private static String key(@Nullable String secret, Map<String, String> environment) {
        return secret == null ? "" : environment.getOrDefault(secret, "").strip();
    }
}
