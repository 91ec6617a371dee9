package ai.molecule.provisioner.templates;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.InitialFiles;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Entry;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.configs.GeneratedConfig;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Fills an agent's configs: before its first start from its template, later only when somebody asks for that. */
public record AgentConfigs(WorkspaceFiles files, Templates templates) {

    /** What a restart answers when it left the configs alone. */
    public static final String EXISTING = "existing-volume";

    /** The platform writes it at every start; no template brings one. */
    private static final FilePath TOKEN = FilePath.of(".auth_token");

    private static final String NO_SOURCE =
            "cannot start workspace %s: no config.yaml source and config volume is empty"
                    + " — delete the workspace or provide a template";

    /** What would fail again. */
    private static final Set<ApiError.Kind> IN_VAIN =
            Set.of(ApiError.Kind.INVALID, ApiError.Kind.FORBIDDEN, ApiError.Kind.CONFLICT, ApiError.Kind.TOO_LARGE);

    /** As deep as a listing goes; what a user put deeper before the first start is covered by a template's file of that name. */
    private static final int LISTED_DEPTH = 5;

    /**
     * Gives an agent that has no {@code config.yaml} one, with everything else of its template: of the named one, or when that is
     * missing its runtime's default, or else a generated config (registry contract, 11.1). What is there stays, byte for byte. The
     * config comes last, so that what a crash cut short is done again. Of an agent that lived already and has lost its config none is
     * made up: then a template has it (11.4). Fails with {@link StartRefused} when none has, something of the agent's stands in the
     * way, or the template is too large.
     */
    public Future<Void> prepare(ManagedWorkspace workspace) {
        var id = workspace.id();
        return files.read(id, Root.CONFIGS, ConfigFile.PATH)
                .compose(config -> config.isPresent()
                        ? Future.succeededFuture()
                        : initialFiles(workspace).compose(initial -> add(id, initial)))
                .recover(failure -> Future.failedFuture(
                        failure instanceof ApiError error && IN_VAIN.contains(error.kind())
                                ? new StartRefused("its configs cannot be written: " + error.publicMessage())
                                : failure));
    }

    /** The same for a backend that lays files itself: what {@link #prepare} would write if there is no config. */
    public Future<InitialFiles> initial(ManagedWorkspace workspace) {
        return initialFiles(workspace)
                .map(files -> new InitialFiles(files, null, false))
                .recover(failure -> failure instanceof StartRefused none
                        ? Future.succeededFuture(new InitialFiles(Map.of(), none.error(), false))
                        : Future.failedFuture(failure));
    }

    /**
     * What a restart asks of the templates.
     *
     * @param template by name
     * @param byName the one that is named like the workspace, or its runtime's default
     * @param rebuild the one of an organisation that is named like the workspace
     */
    public record Wish(@Nullable String template, boolean byName, boolean rebuild) {}

    /**
     * Copies the template that a restart asks for over the agent's configs and answers its id; {@link #EXISTING}, and nothing
     * changed, when none is asked for or found (registry contract, 11.3). To be called before the runtime is read from the config.
     * Fails with INVALID {@code invalid template} for a name that leads out of the templates.
     */
    public Future<String> reapply(UUID workspaceId, String name, String runtime, Wish wish) {
        return choose(name, runtime, wish)
                .compose(chosen -> chosen.isEmpty()
                        ? Future.succeededFuture(EXISTING)
                        : templates
                                .filesOf(chosen.get())
                                .compose(found -> files.write(workspaceId, Root.CONFIGS, withoutToken(found)))
                                .map(written -> chosen.get().id()));
    }

    private Future<Optional<Template>> choose(String name, String runtime, Wish wish) {
        Future<Optional<Template>> chosen =
                wish.template() == null ? Future.succeededFuture(Optional.empty()) : templates.find(wish.template());
        if (wish.byName()) {
            chosen = chosen.compose(found -> orElse(found, () -> templates.findByWorkspaceName(name)));
        }
        if (wish.rebuild()) {
            chosen = chosen.compose(found -> orElse(found, () -> templates.findOfOrganisationByWorkspaceName(name)));
        }
        if (wish.byName()) {
            chosen = chosen.compose(found -> orElse(found, () -> templates.findDefault(runtime)));
        }
        return chosen;
    }

    private Future<Map<FilePath, Buffer>> initialFiles(ManagedWorkspace workspace) {
        return workspace.lastHeartbeatAt() == null ? firstFiles(workspace) : filesAgain(workspace);
    }

    private Future<Map<FilePath, Buffer>> filesAgain(ManagedWorkspace workspace) {
        Future<Optional<Template>> named = workspace.template() == null
                ? Future.succeededFuture(Optional.empty())
                : templates.find(workspace.template());
        return named.map(AgentConfigs::withConfig)
                .compose(found -> orElse(
                        found, () -> templates.findDefault(workspace.runtime()).map(AgentConfigs::withConfig)))
                .compose(found -> orElse(
                        found,
                        () -> templates.findOfRuntime(workspace.runtime()).map(AgentConfigs::withConfig)))
                .compose(found -> found.map(templates::filesOf)
                        .orElseGet(() -> Future.failedFuture(new StartRefused(NO_SOURCE.formatted(workspace.id())))))
                .map(AgentConfigs::withoutToken);
    }

    private static Optional<Template> withConfig(Optional<Template> found) {
        return found.filter(template -> template.config() != null);
    }

    private Future<Map<FilePath, Buffer>> firstFiles(ManagedWorkspace workspace) {
        var generated = Buffer.buffer(GeneratedConfig.of(workspace));
        if (workspace.template() == null) {
            return Future.succeededFuture(Map.of(ConfigFile.PATH, generated));
        }
        return templates
                .find(workspace.template())
                .compose(found -> orElse(found, () -> templates.findDefault(workspace.runtime())))
                .compose(found -> found.map(templates::filesOf).orElseGet(() -> Future.succeededFuture(Map.of())))
                .map(found -> {
                    var initial = withoutToken(found);
                    initial.putIfAbsent(ConfigFile.PATH, generated);
                    return initial;
                });
    }

    private Future<Void> add(UUID id, Map<FilePath, Buffer> initial) {
        return files.list(id, Root.CONFIGS, FilePath.ROOT, LISTED_DEPTH).compose(entries -> {
            var present = entries.stream().collect(Collectors.toMap(Entry::path, entry -> entry));
            Map<FilePath, Buffer> missing = new LinkedHashMap<>(initial);
            missing.keySet().removeIf(path -> isThere(path, present));
            Map<FilePath, Buffer> config = new LinkedHashMap<>(missing);
            config.keySet().retainAll(List.of(ConfigFile.PATH));
            missing.remove(ConfigFile.PATH);
            return files.write(id, Root.CONFIGS, missing).compose(written -> files.write(id, Root.CONFIGS, config));
        });
    }

    /** It, or something in the way of it: a file where it needs a folder, a folder where it is a file. */
    private static boolean isThere(FilePath path, Map<FilePath, Entry> present) {
        for (int i = 1; i < path.names().size(); i++) {
            var above = present.get(new FilePath(path.names().subList(0, i)));
            if (above != null && !above.directory()) {
                return true;
            }
        }
        return present.containsKey(path);
    }

    private static Map<FilePath, Buffer> withoutToken(Map<FilePath, Buffer> files) {
        Map<FilePath, Buffer> kept = new LinkedHashMap<>(files);
        kept.remove(TOKEN);
        return kept;
    }

    private static Future<Optional<Template>> orElse(
            Optional<Template> found, Supplier<Future<Optional<Template>>> otherwise) {
        return found.isPresent() ? Future.succeededFuture(found) : otherwise.get();
    }
}
