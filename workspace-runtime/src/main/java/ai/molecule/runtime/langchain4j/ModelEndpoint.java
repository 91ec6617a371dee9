package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.GivenModels;
import ai.molecule.runtime.agent.NotReady;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Which model is asked, and where: at the platform's model door where there is one, else as the variables say.
 *
 * @param url {@code OPENAI_BASE_URL}, default OpenAI's own
 * @param key {@code OPENAI_API_KEY}; empty for an endpoint of one's own that wants none
 * @param timeout how long one answer may take
 * @param atDoor whether it is the platform's model door, which is told what a call is for
 */
record ModelEndpoint(String url, String key, String model, Duration timeout, boolean atDoor) {

    static final Duration TIMEOUT = Duration.ofMinutes(10);

    private static final Duration TIMEOUT_MAX = Duration.ofHours(24);
    private static final String OPENAI = "https://api.openai.com/v1";

    /** Before a colon these are not part of a model's name, as in {@code llama3:8b}. */
    private static final Set<String> PROVIDERS = Set.of(
            "openai",
            "anthropic",
            "google",
            "google_genai",
            "gemini",
            "mistral",
            "groq",
            "openrouter",
            "ollama",
            "deepseek",
            "xai",
            "azure",
            "cerebras");

    /** @throws NotReady naming the setting that is missing or wrong */
    static ModelEndpoint of(AgentSetup setup) {
        var given = GivenModels.in(setup.environment());
        return given.isPresent() ? atDoor(setup, given.get()) : ofOnesOwn(setup);
    }

    private static ModelEndpoint atDoor(AgentSetup setup, GivenModels given) {
        return new ModelEndpoint(
                checked(given.door() + "/openai/v1"),
                given.key(),
                given.named(setup.model(), name -> DoorAliases.knows(given, name)),
                timeout(setup),
                true);
    }

    private static ModelEndpoint ofOnesOwn(AgentSetup setup) {
        String url = setup.environment().getOrDefault("OPENAI_BASE_URL", "").strip();
        String key = setup.environment().getOrDefault("OPENAI_API_KEY", "").strip();
        boolean named = PROVIDERS.contains(setup.provider());
        String model = named ? setup.modelName() : setup.model().strip();
        if (url.isEmpty() && setup.model().equals(AgentSetup.UNSAID_MODEL)) {
            throw new NotReady(
                    "Model",
                    "no model is set, and OPENAI_BASE_URL is not set",
                    "Set model in config.yaml to openai:<name>, or OPENAI_BASE_URL to an endpoint that has the usual one.");
        }
        if (url.isEmpty() && named && !setup.provider().equals("openai")) {
            throw new NotReady(
                    "Model",
                    "model " + setup.model() + " is not OpenAI's, and OPENAI_BASE_URL is not set",
                    "Set model to openai:<name>, or OPENAI_BASE_URL to an endpoint that has this one.");
        }
        if (url.isEmpty() && key.isEmpty()) {
            throw new NotReady(
                    "Model", "OPENAI_API_KEY is not set", "Set it, or OPENAI_BASE_URL to an endpoint without keys.");
        }
        if (!url.isEmpty() && setup.model().equals(AgentSetup.UNSAID_MODEL)) {
            String usual = model;
            model = EndpointModels.at(checked(url), key)
                    .filter(names -> !names.contains(usual))
                    .map(List::getFirst)
                    .orElse(usual);
        }
        if (model.isEmpty()) {
            throw new NotReady("Model", "no model is set", "Set model in config.yaml to openai:<name>.");
        }
        return new ModelEndpoint(url.isEmpty() ? OPENAI : checked(url), key, model, timeout(setup), false);
    }

    private static Duration timeout(AgentSetup setup) {
        if (setup.timeoutSeconds() < 0 || setup.timeoutSeconds() > TIMEOUT_MAX.toSeconds()) {
            throw new NotReady(
                    "Configuration",
                    "runtime_config.timeout is " + setup.timeoutSeconds(),
                    "Set it to seconds, at most 86400; 0 is ten minutes.");
        }
        return setup.timeoutSeconds() == 0 ? TIMEOUT : Duration.ofSeconds(setup.timeoutSeconds());
    }

    private static String checked(String url) {
        try {
            var uri = new URI(url);
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return url;
            }
        } catch (URISyntaxException notOne) {
            // told below, without the text: it may carry a key
        }
        throw new NotReady("Model", "OPENAI_BASE_URL is not an http or https URL", "Correct it.");
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "ModelEndpoint[" + model + "]";
    }
}
