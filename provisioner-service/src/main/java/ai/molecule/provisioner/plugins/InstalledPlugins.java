package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import ai.molecule.common.loops.InTurn;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Entry;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** The plugins in a workspace's own folders, whether its agent runs or not. */
record InstalledPlugins(WorkspaceFiles files) {

    /** More are not listed. */
    private static final int LISTED_MAX = 200;

    private static final FilePath SKILLS = FilePath.of("skills");

    /** In name order. */
    Future<List<PluginInfo>> list(UUID workspaceId) {
        return files.list(workspaceId, Root.CONFIGS, PluginName.allInstalled(), 1)
                .compose(entries -> InTurn.each(
                        folders(entries)
                                .filter(PluginName::isOne)
                                .limit(LISTED_MAX)
                                .toList(),
                        name -> info(workspaceId, new PluginName(name))));
    }

    /** In place of whatever was there under its name. */
    Future<Void> put(UUID workspaceId, PluginName plugin, Path folder) {
        return files.putFolder(workspaceId, Root.CONFIGS, plugin.installed(), folder);
    }

    /** The plugin, the skills it brought and what it wrote into the agent's memory. Nothing there is fine. */
    Future<Void> remove(UUID workspaceId, PluginName plugin) {
        FilePath skills = plugin.installed().resolve(SKILLS);
        return forget(workspaceId, plugin)
                .compose(forgotten -> files.list(workspaceId, Root.CONFIGS, skills, 1))
                .compose(entries -> InTurn.each(
                        folders(entries).toList(),
                        skill -> files.delete(workspaceId, Root.CONFIGS, SKILLS.resolve(FilePath.of(skill)))))
                .compose(deleted -> files.delete(workspaceId, Root.CONFIGS, plugin.installed()))
                .mapEmpty();
    }

    private Future<Void> forget(UUID workspaceId, PluginName plugin) {
        return readSmall(workspaceId, AgentMemory.FILE).compose(found -> {
            String memory =
                    found.map(buffer -> buffer.toString(StandardCharsets.UTF_8)).orElse("");
            return texts(workspaceId, plugin, AgentMemory.filesNamed(memory, plugin))
                    .compose(texts -> {
                        String kept = AgentMemory.without(memory, plugin, texts);
                        return kept.equals(memory)
                                ? Future.succeededFuture()
                                : files.write(workspaceId, Root.CONFIGS, Map.of(AgentMemory.FILE, Buffer.buffer(kept)));
                    });
        });
    }

    private Future<Map<String, String>> texts(UUID workspaceId, PluginName plugin, List<String> names) {
        Map<String, String> texts = new HashMap<>();
        return InTurn.each(
                        names,
                        name -> readSmall(workspaceId, plugin.installed().resolve(FilePath.of(name)))
                                .onSuccess(found -> found.ifPresent(
                                        buffer -> texts.put(name, buffer.toString(StandardCharsets.UTF_8)))))
                .map(all -> texts);
    }

    private Future<PluginInfo> info(UUID workspaceId, PluginName plugin) {
        FilePath manifest = plugin.installed().resolve(FilePath.of(PluginManifest.FILE));
        return readSmall(workspaceId, manifest)
                .map(found -> found.map(buffer -> PluginManifest.read(plugin.value(), buffer.getBytes()))
                        .orElseGet(() -> PluginInfo.nameOnly(plugin.value())));
    }

    /** An agent may have put anything there; what is too large to be read counts as absent. */
    private Future<Optional<Buffer>> readSmall(UUID workspaceId, FilePath file) {
        return files.read(workspaceId, Root.CONFIGS, file)
                .recover(failure -> failure instanceof ApiError error && error.kind() == ApiError.Kind.TOO_LARGE
                        ? Future.succeededFuture(Optional.empty())
                        : Future.failedFuture(failure));
    }

    private static Stream<String> folders(List<Entry> entries) {
        return entries.stream()
                .filter(Entry::directory)
                .map(entry -> entry.path().names().getLast());
    }
}
