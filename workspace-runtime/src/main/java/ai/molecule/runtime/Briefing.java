package ai.molecule.runtime;

import ai.molecule.runtime.prompts.LivePrompt;
import ai.molecule.runtime.prompts.PromptSettings;
import ai.molecule.runtime.prompts.ToolWords;
import ai.molecule.runtime.skills.TextFile;
import ai.molecule.sdk.ClientConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the prompt of kinds of agents that have one. */
final class Briefing {

    private static final Logger LOGGER = LoggerFactory.getLogger(Briefing.class);

    private Briefing() {}

    /** @throws PreflightFailure when a file of the prompt is too large to be read */
    static LivePrompt of(RuntimeConfig config, WorkspaceConfig workspace, ClientConfig client, ToolWords tools) {
        var atStart = settings(config.configFolder());
        atStart.ifPresent(settings -> settings.promptFiles().forEach(name -> check(config.configFolder(), name)));
        return new LivePrompt(new LivePrompt.Sources(
                client,
                config.configFolder(),
                Path.of(config.environment().getOrDefault("PLUGINS_DIR", "/plugins")),
                workspace.runtime(),
                config.environment().getOrDefault("PARENT_ID", "").strip(),
                () -> settings(config.configFolder())
                        .map(now -> atStart.isPresent()
                                        && now.runtime().equals(atStart.get().runtime())
                                ? now.runBy(workspace.runtime())
                                : now),
                tools));
    }

    /** Empty while somebody is in the middle of writing it. */
    private static Optional<PromptSettings> settings(Path folder) {
        try {
            var settings = new Settings(ConfigFile.load(folder));
            return Optional.of(new PromptSettings(
                    settings.texts("prompt_files"),
                    settings.texts("skills"),
                    settings.text("runtime", WorkspaceConfig.DEFAULT_RUNTIME),
                    routing(settings.section("category_routing"))));
        } catch (PreflightFailure unusable) {
            LOGGER.atWarn()
                    .addKeyValue("reason", unusable.getMessage())
                    .log("config.yaml cannot be used, the one before counts");
            return Optional.empty();
        }
    }

    private static Map<String, List<String>> routing(Settings section) {
        Map<String, List<String>> routing = new LinkedHashMap<>();
        section.values().keySet().stream().sorted().forEach(category -> routing.put(category, section.texts(category)));
        return routing;
    }

    private static void check(Path folder, String name) {
        try {
            Path file = folder.resolve(name);
            if (Files.isRegularFile(file) && Files.size(file) > TextFile.BYTES_MAX) {
                throw new PreflightFailure("Prompt", file + " is larger than 64 KiB", "Make it smaller.");
            }
        } catch (IOException | InvalidPathException e) {
            throw new PreflightFailure(
                    "Prompt", name + " cannot be read: " + e, "Make it readable for the agent's user.");
        }
    }
}
