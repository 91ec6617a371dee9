package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CreateWorkspaces.Agent;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.bus.registry.CreateWorkspaces.Memory;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.imports.ImportedWorkspace;
import ai.molecule.provisioner.organisations.Placement.Point;
import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
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

    /** Of all the files that are read, each once however many workspaces get it. */
    private static final long FILES_MAX_BYTES = 64L * 1024 * 1024;

    private static final FilePath CONFIG = FilePath.of("config.yaml");
    private static final FilePath SYSTEM_PROMPT = FilePath.of("system-prompt.md");
    private static final Pattern PLUGIN = Pattern.compile("[a-z0-9][a-z0-9._-]{0,127}");
    private static final String DEFAULT_RUNTIME = "langgraph";
    private static final int DEFAULT_TIER = 2;
    private static final int DEFAULT_IDLE_SECONDS = 600;

    /** Credentials and the platform's own: never copied into the configs of an agent. */
    private static final List<String> LEFT_OUT = List.of(EnvFile.NAME, ".auth_token", ".git");

    private record Base(Map<FilePath, Buffer> files, JsonNode config) {}

    private final OrgTemplate organisation;
    private final OrgFolder folder;
    private final OrgSettings settings;
    private final List<String> warnings = new ArrayList<>();
    private final List<ImportedWorkspace> planned = new ArrayList<>();
    private final Map<String, Base> bases = new HashMap<>();
    private long stored;
    private long read;

    OrgPlanner(OrgTemplate organisation, OrgFolder folder, OrgSettings settings) {
        this.organisation = organisation;
        this.folder = folder;
        this.settings = settings;
    }

    /** Parents before their children, in the order of {@link OrgTemplate#preorder}. Fails with INVALID. */
    List<ImportedWorkspace> plan() {
        for (var root : organisation.workspaces()) {
            plan(root, null, new Point(root.x(), root.y()));
        }
        return planned;
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
        int tier = first(own.tier(), defaults.tier(), DEFAULT_TIER);
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
        var base = base(workspace, filesDir, runtime);
        String initial = prompt(
                filesDir,
                own.initialPrompt(),
                own.initialPromptFile(),
                defaults.initialPrompt(),
                defaults.initialPromptFile());
        String idle = prompt(
                filesDir, own.idlePrompt(), own.idlePromptFile(), defaults.idlePrompt(), defaults.idlePromptFile());
        int seconds = first(own.idleIntervalSeconds(), defaults.idleIntervalSeconds(), 0);
        var config = new AgentConfig(
                workspace.name(),
                workspace.role(),
                tier,
                runtime,
                model,
                own.routingOver(defaults),
                initial,
                idle,
                seconds <= 0 ? DEFAULT_IDLE_SECONDS : seconds,
                base.config());
        return new ImportedWorkspace(
                item,
                () -> {
                    Map<FilePath, Buffer> files = new LinkedHashMap<>(base.files());
                    files.put(CONFIG, Buffer.buffer(config.toYaml()));
                    if (workspace.systemPrompt() != null) {
                        files.put(SYSTEM_PROMPT, Buffer.buffer(workspace.systemPrompt()));
                    }
                    return files;
                },
                plugins(own.pluginsOver(defaults), workspace));
    }

    /** Its own folder in the organisation, else its template, else its runtime's default template. */
    private Base base(OrgWorkspace workspace, FilePath filesDir, String runtime) {
        if (!filesDir.isRoot()) {
            if (folder.isFolder(filesDir)) {
                return bases.computeIfAbsent("files/" + filesDir, key -> load(folder, filesDir));
            }
            warnings.add("workspace \"%s\": there is no folder %s".formatted(workspace.name(), filesDir));
        }
        if (workspace.template() != null) {
            var template = template(FilePath.of(workspace.template()));
            if (template.isEmpty()) {
                warnings.add(
                        "workspace \"%s\": there is no template %s".formatted(workspace.name(), workspace.template()));
            } else {
                return template.get();
            }
        }
        return (runtime.matches("[A-Za-z0-9_-]{1,100}")
                        ? template(FilePath.of(runtime + "-default"))
                        : Optional.<Base>empty())
                .orElse(new Base(Map.of(), Json.object()));
    }

    private Optional<Base> template(FilePath name) {
        var known = bases.get("template/" + name);
        if (known != null) {
            return Optional.of(known);
        }
        var found = name.isRoot() ? Optional.<DiskFolder>empty() : DiskFolder.find(settings.templates(), name);
        return found.map(template -> {
            var base = load(template, FilePath.ROOT);
            bases.put("template/" + name, base);
            return base;
        });
    }

    private Base load(OrgFolder from, FilePath below) {
        Map<FilePath, Buffer> files = new LinkedHashMap<>();
        for (var path : from.filesBelow(below)) {
            var relative = new FilePath(
                    path.names().subList(below.names().size(), path.names().size()));
            if (relative.names().stream().noneMatch(LEFT_OUT::contains)) {
                from.read(path).ifPresent(content -> files.put(relative, counted(content)));
            }
        }
        var config = files.remove(CONFIG);
        return new Base(files, config == null ? Json.object() : config(config));
    }

    private static JsonNode config(Buffer content) {
        try {
            var config = BoundedYaml.parse(content.toString(StandardCharsets.UTF_8));
            return config.isObject() ? config : Json.object();
        } catch (YamlRefused refused) {
            throw ApiError.invalid("config.yaml " + refused.getMessage());
        }
    }

    private Buffer counted(byte[] content) {
        read += content.length;
        if (read > FILES_MAX_BYTES) {
            throw ApiError.invalid("all files together are larger than %d bytes".formatted(FILES_MAX_BYTES));
        }
        return Buffer.buffer(content);
    }

    private Map<FilePath, Path> plugins(List<String> names, OrgWorkspace workspace) {
        Map<FilePath, Path> folders = new LinkedHashMap<>();
        for (String name : names) {
            var found = PLUGIN.matcher(name).matches()
                    ? DiskFolder.find(settings.plugins(), FilePath.of(name))
                    : Optional.<DiskFolder>empty();
            if (found.isEmpty()) {
                warnings.add("workspace \"%s\": there is no plugin %s".formatted(workspace.name(), name));
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

    /** Its own text, its own file, the default text, the default file. */
    private @Nullable String prompt(
            FilePath filesDir,
            @Nullable String own,
            @Nullable String ownFile,
            @Nullable String byDefault,
            @Nullable String defaultFile) {
        if (own != null) {
            return own;
        }
        if (ownFile != null) {
            return file(filesDir, ownFile);
        }
        if (byDefault != null) {
            return byDefault;
        }
        return defaultFile == null ? null : file(FilePath.ROOT, defaultFile);
    }

    /** Below the workspace's own folder, else below the organisation's. */
    private @Nullable String file(FilePath filesDir, String name) {
        var path = FilePath.of(name);
        var content = folder.read(filesDir.resolve(path)).or(() -> folder.read(path));
        String text = content.map(bytes -> counted(bytes).toString(StandardCharsets.UTF_8))
                .orElseThrow(() -> ApiError.invalid("there is no file " + name));
        return text.isBlank() ? null : text;
    }

    private static <T> T first(@Nullable T own, @Nullable T byDefault, T otherwise) {
        return own != null ? own : Objects.requireNonNullElse(byDefault, otherwise);
    }
}
