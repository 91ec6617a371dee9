package ai.molecule.provisioner.files;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What a workspace lets its children know: the files that {@code shared_context} in its config names. */
record SharedContext(FileService files) {

    /** The most files, and the most they may hold together; what is beyond is left out. */
    private static final int FILES_MAX = 50;

    private static final long BYTES_MAX = WorkspaceFiles.FILE_MAX_BYTES;

    /** By path below the configs, in the config's order. A file that is not there, and a path that is none, is left out. */
    Future<Map<FilePath, Buffer>> of(UUID workspaceId) {
        return readOrEmpty(workspaceId, ConfigFile.PATH)
                .compose(config -> collect(workspaceId, namedIn(config.toString()), new LinkedHashMap<>()));
    }

    private Future<Map<FilePath, Buffer>> collect(UUID workspaceId, List<FilePath> left, Map<FilePath, Buffer> found) {
        if (left.isEmpty()) {
            return Future.succeededFuture(found);
        }
        var next = left.getFirst();
        var after = left.subList(1, left.size());
        return readOrEmpty(workspaceId, next).compose(content -> {
            long held = found.values().stream().mapToLong(Buffer::length).sum();
            if (content.length() > 0 && held + content.length() <= BYTES_MAX) {
                found.put(next, content);
            }
            return collect(workspaceId, after, found);
        });
    }

    private Future<Buffer> readOrEmpty(UUID workspaceId, FilePath path) {
        return files.read(workspaceId, new AgentPath(Root.CONFIGS, path))
                .recover(failure -> failure instanceof ApiError error && isMissing(error)
                        ? Future.succeededFuture(Buffer.buffer())
                        : Future.failedFuture(failure));
    }

    private static boolean isMissing(ApiError error) {
        return error.publicMessage().startsWith(FileService.NO_SUCH_FILE) || error.kind() == ApiError.Kind.TOO_LARGE;
    }

    private static List<FilePath> namedIn(String config) {
        List<FilePath> named = new ArrayList<>();
        try {
            for (var entry : BoundedYaml.parse(config).path("shared_context")) {
                if (named.size() < FILES_MAX && entry.isTextual()) {
                    addIfPath(named, entry.textValue());
                }
            }
        } catch (YamlRefused broken) {
            return List.of();
        }
        return named;
    }

    private static void addIfPath(List<FilePath> named, String text) {
        try {
            var path = FilePath.of(text);
            if (!path.isRoot()) {
                named.add(path);
            }
        } catch (ApiError climbing) {
            // left out
        }
    }
}
