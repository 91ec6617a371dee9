package ai.molecule.provisioner.files;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.WriteSettingsFiles;
import ai.molecule.common.bus.registry.NoteSettingsFile;
import ai.molecule.common.loops.InTurn;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that are settings of an agent: YAML and Markdown right below {@code /configs}. Each change of one over HTTP becomes a version, which
 * the registry keeps. A file that could not be noted is written all the same: the next version of it tells.
 */
public record SettingsFiles(Bus bus, FileService files) {

    private static final Logger LOGGER = LoggerFactory.getLogger(SettingsFiles.class);

    private static final List<String> ENDINGS = List.of(".yaml", ".yml", ".md");

    /** Of one request; more are a template rather than settings. */
    private static final int AT_ONCE_MAX = 20;

    /** Does the change, and notes what it made of the settings among these files. */
    <T> Future<T> changing(
            UUID workspaceId, Root root, Collection<FilePath> paths, String changedWith, Supplier<Future<T>> change) {
        var settings = paths.stream()
                .filter(path -> isSetting(root, path))
                .limit(AT_ONCE_MAX)
                .toList();
        if (settings.isEmpty()) {
            return change.get();
        }
        return contents(workspaceId, settings)
                .compose(before -> change.get()
                        .compose(done -> contents(workspaceId, settings)
                                .compose(after -> note(workspaceId, settings, before, after, changedWith))
                                .map(done)));
    }

    /** Serves {@link WriteSettingsFiles}. */
    public Future<WriteSettingsFiles.Written> write(WriteSettingsFiles wanted) {
        Map<FilePath, Buffer> contents = new LinkedHashMap<>();
        wanted.contents()
                .forEach((path, text) ->
                        contents.put(AgentPath.of("/configs", path).path(), Buffer.buffer(text)));
        return files.write(wanted.workspaceId(), Root.CONFIGS, contents)
                .map(written -> new WriteSettingsFiles.Written(contents.size()));
    }

    static boolean isSetting(Root root, FilePath path) {
        return root == Root.CONFIGS
                && path.names().size() == 1
                && ENDINGS.stream().anyMatch(path.names().getFirst()::endsWith);
    }

    private Future<Map<FilePath, String>> contents(UUID workspaceId, List<FilePath> paths) {
        Map<FilePath, String> contents = new LinkedHashMap<>();
        return InTurn.each(
                        paths,
                        path -> files.read(workspaceId, new AgentPath(Root.CONFIGS, path))
                                .map(Optional::of)
                                .otherwise(Optional.empty())
                                .onSuccess(
                                        content -> content.filter(text -> text.length() <= NoteSettingsFile.MAX_CHARS)
                                                .ifPresent(text -> contents.put(path, text.toString()))))
                .map(contents);
    }

    private Future<Void> note(
            UUID workspaceId,
            List<FilePath> paths,
            Map<FilePath, String> before,
            Map<FilePath, String> after,
            String changedWith) {
        List<Future<?>> noted = new ArrayList<>();
        for (var path : paths) {
            String old = before.get(path);
            String now = after.get(path);
            if (old == null ? now != null : !old.equals(now)) {
                noted.add(bus.call(
                        NoteSettingsFile.CONTRACT,
                        new NoteSettingsFile(workspaceId, path.toString(), old, now, changedWith)));
            }
        }
        return Future.join(noted)
                .onFailure(failure -> LOGGER.atWarn()
                        .setCause(failure)
                        .addKeyValue("workspaceId", workspaceId)
                        .log("a settings file was written and no version of it"))
                .otherwiseEmpty()
                .mapEmpty();
    }
}
