package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.proxy.SetSchedules;
import ai.molecule.common.bus.registry.CreateWorkspaces.Agent;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.bus.registry.CreateWorkspaces.Memory;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.imports.ImportedWorkspace;
import ai.molecule.provisioner.organisations.Placement.Point;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes workspaces and their files of an organisation (registry contract, 7.6). Everything is read and checked here, before
 * anything is created. Reads the disk and blocks; to be used once.
 */
final class OrgPlanner {

    /** Texts that are stored with every workspace: memories and secrets of all of them together. */
    private static final long STORED_MAX_CHARS = 16L * 1024 * 1024;

    private static final FilePath SYSTEM_PROMPT = FilePath.of("system-prompt.md");
    private static final Pattern PLUGIN = Pattern.compile("[a-z0-9][a-z0-9._-]{0,127}");
    private static final String DEFAULT_RUNTIME = "langgraph";
    private static final int DEFAULT_TIER = 2;

    /** Of a program that the default is too small for, where no tier is said. */
    private static final int PROGRAM_TIER = 3;

    private static final int DEFAULT_IDLE_SECONDS = 600;

    private final OrgTemplate organisation;
    private final OrgFolder folder;
    private final OrgSettings settings;
    private final Backend backend;
    private final List<String> warnings = new ArrayList<>();
    private final List<ImportedWorkspace> planned = new ArrayList<>();
    private final List<SetSchedules> schedules = new ArrayList<>();
    private final List<SetIdleMinutes.One> idle = new ArrayList<>();
    private final BaseFiles bases;
    private final Prompts prompts;
    private long stored;

    /** @param backend which may know of a tier that it is too small */
    OrgPlanner(OrgTemplate organisation, OrgFolder folder, OrgSettings settings, Backend backend) {
        this.organisation = organisation;
        this.folder = folder;
        this.settings = settings;
        this.backend = backend;
        var read = new ReadBytes();
        this.bases = new BaseFiles(folder, settings.templates(), read);
        this.prompts = new Prompts(folder, organisation.defaults(), read);
    }

    /** Parents before their children, in the order of {@link OrgTemplate#preorder}. Fails with INVALID. */
    List<ImportedWorkspace> plan() {
        for (var root : organisation.workspaces()) {
            plan(root, null, new Point(root.x(), root.y()));
        }
        return planned;
    }

    /** What the planned workspaces are told by the clock. */
    List<SetSchedules> schedules() {
        return schedules;
    }

    /** After how long those sleep that say it, or stand at the top where the defaults do. */
    List<SetIdleMinutes.One> idle() {
        return idle;
    }

    /** What was named but could not be found, and was gone without. */
    List<String> warnings() {
        return warnings;
    }

    private void plan(OrgWorkspace workspace, @Nullable UUID parentId, Point at) {
        var id = UUID.randomUUID();
        try {
            planned.add(one(workspace, id, parentId, at));
        } catch (ApiError broken) {
            throw InvalidOrganisation.template(
                    "workspace \"%s\": %s".formatted(workspace.name(), InvalidOrganisation.problemOf(broken)));
        }
        var places = Placement.ofChildren(workspace, at);
        for (int i = 0; i < places.size(); i++) {
            plan(workspace.children().get(i), id, places.get(i));
        }
    }

    private ImportedWorkspace one(OrgWorkspace workspace, UUID id, @Nullable UUID parentId, Point at) {
        var own = workspace.settings();
        var defaults = organisation.defaults();
        var filesDir = workspace.filesDir() == null ? FilePath.ROOT : FilePath.of(workspace.filesDir());
        var env = EnvFile.read(folder, filesDir);
        String runtime = first(own.runtime(), defaults.runtime(), DEFAULT_RUNTIME);
        String model = first(own.model(), defaults.model(), AgentConfig.defaultModel(runtime));
        int tier = first(own.tier(), defaults.tier(), defaultTier(runtime));
        String dir = workspace.workspaceDir() == null
                ? null
                : Variables.of(settings.environment(), env).expand(workspace.workspaceDir());
        var agent = new Agent(
                runtime,
                model,
                tier,
                workspace.template(),
                workspace.external(),
                workspace.url(),
                dir,
                workspace.workspaceAccess(),
                null,
                workspace.maxConcurrentTasks());
        var told = WrittenSchedules.of(workspace, filesDir, prompts);
        if (!told.isEmpty()) {
            schedules.add(WrittenSchedules.wish(id, told));
        }
        Integer minutes = own.idleMinutes() == null && parentId == null ? defaults.idleMinutes() : own.idleMinutes();
        if (minutes != null && !workspace.external()) {
            idle.add(new SetIdleMinutes.One(id, minutes));
        }
        var memories = memories(workspace, parentId == null && planned.isEmpty());
        count(memories, env);
        var item = new Item(
                id, parentId, workspace.name(), workspace.role(), agent, at.x(), at.y(), memories, env, null, false);
        return workspace.external()
                ? new ImportedWorkspace(item, Map::of, Map.of())
                : equipped(item, workspace, filesDir, runtime, model, tier);
    }

    private ImportedWorkspace equipped(
            Item item, OrgWorkspace workspace, FilePath filesDir, String runtime, String model, int tier) {
        var own = workspace.settings();
        var defaults = organisation.defaults();
        var base = bases.of(workspace, filesDir, runtime, missing -> warnMissing(workspace, missing));
        requireFit(runtime, tier, base.config());
        int seconds = first(own.idleIntervalSeconds(), defaults.idleIntervalSeconds(), DEFAULT_IDLE_SECONDS);
        var config = new AgentConfig(
                workspace.name(),
                workspace.role(),
                tier,
                runtime,
                model,
                own.routingOver(defaults),
                prompts.initial(own, filesDir),
                prompts.idle(own, filesDir),
                seconds,
                base.config());
        return new ImportedWorkspace(
                item,
                () -> {
                    Map<FilePath, Buffer> files = new LinkedHashMap<>(base.files());
                    files.put(ConfigFile.PATH, Buffer.buffer(config.toYaml()));
                    if (workspace.systemPrompt() != null) {
                        files.put(SYSTEM_PROMPT, Buffer.buffer(workspace.systemPrompt()));
                    }
                    return files;
                },
                plugins(own.pluginsOver(defaults), workspace));
    }

    private int defaultTier(String runtime) {
        return backend.tierRefusal(runtime, DEFAULT_TIER).isEmpty() ? DEFAULT_TIER : PROGRAM_TIER;
    }

    /** What a program of one's own needs nobody knows. */
    private void requireFit(String runtime, int tier, JsonNode config) {
        if (config.at("/runtime_config/command").asText().isEmpty()) {
            backend.tierRefusal(runtime, tier).ifPresent(refusal -> {
                throw ApiError.invalid(refusal);
            });
        }
    }

    private Map<FilePath, Path> plugins(List<String> names, OrgWorkspace workspace) {
        Map<FilePath, Path> folders = new LinkedHashMap<>();
        for (String name : names) {
            var found = PLUGIN.matcher(name).matches()
                    ? DiskFolder.find(settings.plugins(), FilePath.of(name))
                    : Optional.<DiskFolder>empty();
            if (found.isEmpty()) {
                warnMissing(workspace, "plugin " + name);
            } else {
                folders.put(FilePath.of("plugins/" + name), found.get().root());
            }
        }
        return folders;
    }

    private List<Memory> memories(OrgWorkspace workspace, boolean firstRoot) {
        var own = workspace.settings().memories();
        var defaults = Objects.requireNonNullElse(organisation.defaults().memories(), List.<Memory>of());
        List<Memory> memories = new ArrayList<>(own == null ? defaults : own);
        if (firstRoot) {
            organisation.globalMemories().forEach(memory -> memories.add(new Memory(memory.content(), "GLOBAL")));
        }
        return memories;
    }

    private void count(List<Memory> memories, Map<String, String> env) {
        stored +=
                memories.stream().mapToLong(memory -> memory.content().length()).sum();
        stored += env.values().stream().mapToLong(String::length).sum();
        if (stored > STORED_MAX_CHARS) {
            throw ApiError.invalid(
                    "all memories and .env values together are larger than %d characters".formatted(STORED_MAX_CHARS));
        }
    }

    private void warnMissing(OrgWorkspace workspace, String what) {
        warnings.add("workspace \"%s\": there is no %s".formatted(workspace.name(), what));
    }

    private static <T> T first(@Nullable T own, @Nullable T byDefault, T otherwise) {
        return own != null ? own : Objects.requireNonNullElse(byDefault, otherwise);
    }
}
