package ai.molecule.runtime.agent;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The models that the platform lets this agent ask at its model door, with what opens it.
 *
 * @param door {@code MOLECULE_MODEL_DOOR}, without a protocol
 * @param key {@code MOLECULE_MODEL_KEY}
 * @param providers {@code MOLECULE_MODEL_PROVIDERS}: of each {@code +} when it may be asked, {@code @} when at an address of the
 *     workspace's own, else the secret that is missing
 * @param nobodysChoice {@code MOLECULE_MODEL_DEFAULT}: what is asked when nobody said which; empty when there is nobody to ask
 */
public record GivenModels(String door, String key, Map<String, String> providers, String nobodysChoice) {

    private static final String READY = "+";
    private static final String OWN_ADDRESS = "@";
    private static final String OPENAI = "openai";

    /** Other names for some of them, which configurations use. */
    private static final Map<String, String> ALIASES =
            Map.of("google_genai", "google", "gemini", "google", "azure", "azure-openai");

    /** How an organisation or an operator may call models. */
    private static final Pattern ALIAS = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");

    /** Empty where the platform has no such door, as for an agent that was not started by it. */
    public static Optional<GivenModels> in(Map<String, String> environment) {
        String door = environment.getOrDefault("MOLECULE_MODEL_DOOR", "").strip();
        String key = environment.getOrDefault("MOLECULE_MODEL_KEY", "").strip();
        if (door.isEmpty() || key.isEmpty()) {
            return Optional.empty();
        }
        Map<String, String> providers = Arrays.stream(
                        environment.getOrDefault("MOLECULE_MODEL_PROVIDERS", "").split(" +"))
                .filter(entry -> entry.indexOf(':') > 0)
                .collect(Collectors.toMap(
                        entry -> entry.substring(0, entry.indexOf(':')),
                        entry -> entry.substring(entry.indexOf(':') + 1),
                        (first, again) -> again,
                        LinkedHashMap::new));
        return Optional.of(new GivenModels(
                door,
                key,
                providers,
                environment.getOrDefault("MOLECULE_MODEL_DEFAULT", "").strip()));
    }

    /**
     * A model by the name the door knows, {@code provider:model}.
     *
     * @param model as the configuration has it
     * @param isAlias whether the door knows a name without a provider; asked where it could be one
     * @throws NotReady in one sentence, with the secret to give
     */
    public String named(String model, Predicate<String> isAlias) {
        int colon = model.indexOf(':');
        String written = model.substring(0, Math.max(0, colon)).strip();
        String provider = ALIASES.getOrDefault(written, written);
        if (!providers.containsKey(provider)) {
            boolean alias = ALIAS.matcher(model.strip()).matches() && isAlias.test(model.strip());
            return alias
                    ? model.strip()
                    : of(OPENAI, model.strip(), model); // a colon may be part of a model's own name, as in llama3:8b
        }
        return of(provider, model.substring(colon + 1).strip(), model);
    }

    private String of(String provider, String name, String model) {
        String standing = providers.getOrDefault(provider, "");
        if (!name.isEmpty() && (standing.equals(READY) || standing.equals(OWN_ADDRESS))) {
            return provider + ":" + name;
        }
        if (!name.isEmpty() && OWN_ADDRESS.equals(providers.get(OPENAI))) {
            return OPENAI + ":" + name; // an endpoint of one's own has models of any name
        }
        boolean unsaid = model.isBlank() || model.strip().equals(AgentSetup.UNSAID_MODEL);
        if (unsaid && !nobodysChoice.isEmpty() && !nobodysChoice.endsWith(":")) {
            return nobodysChoice;
        }
        if (unsaid) {
            throw new NotReady(
                    "Model",
                    "no provider of models has a key",
                    "Store ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY as a secret, of this workspace or of all.");
        }
        throw new NotReady(
                "Model",
                "model " + model + " has no key: provider " + provider + " wants the secret " + standing,
                "Store " + standing + " as a secret, of this workspace or of all.");
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "GivenModels[" + door + "]";
    }
}
