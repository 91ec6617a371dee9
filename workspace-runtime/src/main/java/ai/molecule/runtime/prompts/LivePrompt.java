package ai.molecule.runtime.prompts;

import ai.molecule.runtime.agent.Skill;
import ai.molecule.runtime.agent.SystemPrompt;
import ai.molecule.runtime.skills.Abilities;
import ai.molecule.runtime.skills.TextFile;
import ai.molecule.sdk.ClientConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The prompt as it is true at the moment it is asked for. */
public final class LivePrompt implements SystemPrompt {

    private static final Logger LOGGER = LoggerFactory.getLogger(LivePrompt.class);

    /** Read when they are there, whether the config names them or not. */
    private static final List<String> MEMORIES = List.of("MEMORY.md", "USER.md");

    private static final int FILES_MAX = 50;

    private final Sources sources;
    private final PlatformKnowledge platform;
    private PromptSettings settings;
    private int lastHash;

    /**
     * Where a prompt comes from.
     *
     * @param configs the agent's folder
     * @param plugins a second folder of plugins
     * @param settings reads {@code config.yaml}; empty while it cannot be used, when what it said before counts
     * @param runtimeAtStart counts until {@code config.yaml} was read
     * @param parentAtStart empty for a root
     */
    public record Sources(
            ClientConfig client,
            Path configs,
            Path plugins,
            String runtimeAtStart,
            String parentAtStart,
            Supplier<Optional<PromptSettings>> settings,
            ToolWords tools) {}

    public LivePrompt(Sources sources) {
        this.sources = sources;
        this.platform = new PlatformKnowledge(sources.client(), sources.parentAtStart());
        this.settings = new PromptSettings(List.of(), List.of(), sources.runtimeAtStart(), Map.of());
    }

    /** Reads everything anew, and asks the platform when something may have changed there; waits 5 s for it at most. */
    @Override
    public synchronized String text() {
        settings = sources.settings().get().orElse(settings);
        String text = PromptText.of(
                sources.client().workspaceId(),
                settings,
                platform.facts(),
                files(),
                abilities(settings),
                sources.tools());
        if (text.hashCode() != lastHash) {
            lastHash = text.hashCode();
            LOGGER.atInfo().addKeyValue("chars", text.length()).log("prompt built anew");
        }
        return text;
    }

    @Override
    public synchronized List<Skill> skills() {
        settings = sources.settings().get().orElse(settings);
        return abilities(settings).skills().stream()
                .map(skill -> new Skill(skill.id(), skill.name(), skill.description(), skill.tags()))
                .toList();
    }

    @Override
    public void close() {
        platform.close();
    }

    private Abilities abilities(PromptSettings current) {
        return Abilities.read(sources.configs(), sources.plugins(), current.skills(), current.runtime());
    }

    private List<String> files() {
        List<String> names = new ArrayList<>(settings.promptFiles());
        MEMORIES.stream().filter(name -> !names.contains(name)).forEach(names::add);
        return names.stream()
                .limit(FILES_MAX)
                .map(this::inside)
                .flatMap(Optional::stream)
                .map(TextFile::read)
                .flatMap(Optional::stream)
                .toList();
    }

    /** A config names files of its own folder, not others of the machine. */
    private Optional<Path> inside(String name) {
        try {
            Path root = sources.configs().toAbsolutePath().normalize();
            return Optional.of(root.resolve(name).normalize()).filter(file -> file.startsWith(root));
        } catch (InvalidPathException noPath) {
            return Optional.empty();
        }
    }
}
