package ai.molecule.runtime.prompts;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code config.yaml} says of the prompt.
 *
 * @param promptFiles {@code prompt_files}, relative to the config's folder; {@code system-prompt.md} when there are none
 * @param skills {@code skills}: which of the agent's own, in order
 * @param runtime {@code runtime}: what is meant for others is left out
 * @param categoryRouting {@code category_routing}: for a kind of work, the roles it goes to
 */
public record PromptSettings(
        List<String> promptFiles, List<String> skills, String runtime, Map<String, List<String>> categoryRouting) {

    private static final List<String> DEFAULT_FILES = List.of("system-prompt.md");

    public PromptSettings {
        promptFiles = promptFiles.isEmpty() ? DEFAULT_FILES : List.copyOf(promptFiles);
        skills = List.copyOf(skills);
        categoryRouting = new LinkedHashMap<>(categoryRouting);
    }

    /** The same for another runtime. */
    public PromptSettings runBy(String other) {
        return new PromptSettings(promptFiles, skills, other, categoryRouting);
    }
}
