package ai.molecule.provisioner.files;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.FilesQuota;
import ai.molecule.provisioner.backend.OurWorkspaces;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Content;
import ai.molecule.provisioner.backend.WorkspaceFiles.Entry;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.templates.Templates;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The files of workspaces, whether their agents run or not. Everything fails with NOT_FOUND {@code workspace not found} for a
 * workspace that is unknown or removed. The files of an agent that the platform does not run are not ours: there is nothing to
 * read, and writing fails with UNAVAILABLE {@code workspace container not running}. What is over the workspace's {@link FilesQuota}
 * fails with INSUFFICIENT_STORAGE. The agent's token is not among its files.
 *
 * @param available whether there is a backend at all
 */
public record FileService(Bus bus, WorkspaceFiles files, FilesQuota quota, boolean available, Templates templates) {

    /** How every such answer begins. */
    static final String NO_SUCH_FILE = "file not found";

    private static final String NOT_HERE = "workspace container not running";

    /** What was written, into whose files. */
    record Written(String name, boolean running) {}

    /** By path, which is relative to the folder. */
    Future<List<Entry>> list(UUID workspaceId, AgentPath folder, int depth) {
        return find(workspaceId)
                .compose(found -> found.here()
                        ? files.list(workspaceId, folder.root(), folder.path(), depth)
                        : Future.succeededFuture(List.<Entry>of()))
                .map(entries -> entries.stream()
                        .filter(entry ->
                                !new AgentPath(folder.root(), folder.path().resolve(entry.path())).isToken())
                        .toList());
    }

    /**
     * Fails with NOT_FOUND {@code file not found} and TOO_LARGE. For an agent that does not run, what is not among its configs is
     * looked for in the template that is named like its workspace.
     */
    Future<Buffer> read(UUID workspaceId, AgentPath file) {
        return find(workspaceId)
                .compose(found -> (readable(found, file)
                                ? files.read(workspaceId, file.root(), file.path())
                                : Future.succeededFuture(Optional.<Buffer>empty()))
                        .compose(content ->
                                content.isPresent() ? Future.succeededFuture(content.get()) : inTemplate(found, file)));
    }

    private Future<Buffer> inTemplate(Found found, AgentPath file) {
        if (!found.here() || found.running() || file.isToken()) {
            return Future.failedFuture(noSuchFile());
        }
        return templates.findByWorkspaceName(found.name()).compose(template -> {
            if (template.isEmpty()) {
                return Future.failedFuture(ApiError.notFound(NO_SUCH_FILE + " (container offline, no template)"));
            }
            return file.root() == Root.CONFIGS
                    ? templates
                            .fileOf(template.get(), file.path())
                            .map(content -> content.orElseThrow(FileService::noSuchFile))
                    : Future.failedFuture(noSuchFile());
        });
    }

    /** Fails with NOT_FOUND {@code file not found}, and INVALID {@code path is not a regular file} for a folder. */
    Future<Content> open(UUID workspaceId, AgentPath file) {
        return requireHere(workspaceId)
                .compose(found -> readable(found, file)
                        ? files.open(workspaceId, file.root(), file.path())
                        : Future.succeededFuture(Optional.<Content>empty()))
                .compose(content -> content.isPresent()
                        ? Future.succeededFuture(content.get())
                        : explainMissing(workspaceId, file));
    }

    Future<Written> write(UUID workspaceId, Root root, Map<FilePath, Buffer> contents) {
        if (contents.keySet().stream().anyMatch(path -> path.isRoot() || new AgentPath(root, path).isToken())) {
            return Future.failedFuture(ApiError.invalid("invalid path"));
        }
        return requireHere(workspaceId)
                .compose(found -> quota.admit(
                                workspaceId,
                                contents.values().stream()
                                        .mapToLong(Buffer::length)
                                        .sum(),
                                contents.size())
                        .compose(room -> files.write(workspaceId, root, contents))
                        .map(written -> new Written(found.name(), found.running())));
    }

    /** Fails with NOT_FOUND {@code file not found} when there was nothing. */
    Future<Void> delete(UUID workspaceId, AgentPath path) {
        if (path.path().isRoot() || path.isToken()) {
            return Future.failedFuture(ApiError.invalid("invalid path"));
        }
        return requireHere(workspaceId)
                .compose(found -> files.delete(workspaceId, path.root(), path.path()))
                .map(deleted -> {
                    quota.forget(workspaceId);
                    if (!deleted) {
                        throw noSuchFile();
                    }
                    return null;
                });
    }

    Future<Void> requireWritable(UUID workspaceId) {
        return requireHere(workspaceId).mapEmpty();
    }

    /** Fails with INSUFFICIENT_STORAGE when that much more of uploads is too much. */
    Future<Void> requireRoom(UUID workspaceId, long bytes, int number) {
        return requireHere(workspaceId).compose(found -> quota.admitUploads(workspaceId, bytes, number));
    }

    /** Puts a local file there. */
    Future<Void> put(UUID workspaceId, AgentPath target, Path source) {
        return files.putFile(workspaceId, target.root(), target.path(), source);
    }

    /** Who is at work, or about to be. */
    private static final Set<WorkspaceStatus> RUNNING =
            EnumSet.of(WorkspaceStatus.PROVISIONING, WorkspaceStatus.ONLINE, WorkspaceStatus.DEGRADED);

    private record Found(String name, boolean here, boolean running) {}

    private boolean readable(Found found, AgentPath file) {
        return found.here() && !file.isToken();
    }

    private Future<Found> find(UUID workspaceId) {
        return bus.call(ResolveRoute.CONTRACT, new ResolveRoute(workspaceId, null))
                .compose(route -> {
                    if (!route.found() || route.status() == WorkspaceStatus.REMOVED) {
                        throw ApiError.notFound("workspace not found");
                    }
                    return new OurWorkspaces(bus)
                            .find(workspaceId)
                            .map(ours -> new Found(
                                    route.name(), available && ours.isPresent(), RUNNING.contains(route.status())));
                });
    }

    private Future<Found> requireHere(UUID workspaceId) {
        return find(workspaceId).map(found -> {
            if (!found.here()) {
                throw ApiError.unavailable(NOT_HERE);
            }
            return found;
        });
    }

    private <T> Future<T> explainMissing(UUID workspaceId, AgentPath file) {
        if (file.path().isRoot()) {
            return Future.failedFuture(ApiError.invalid("path is not a regular file"));
        }
        var names = file.path().names();
        var folder = new FilePath(names.subList(0, names.size() - 1));
        var name = new FilePath(List.of(names.getLast()));
        return files.list(workspaceId, file.root(), folder, 1)
                .compose(entries -> Future.failedFuture(
                        entries.stream()
                                        .anyMatch(entry -> entry.directory()
                                                && entry.path().equals(name))
                                ? ApiError.invalid("path is not a regular file")
                                : noSuchFile()));
    }

    private static ApiError noSuchFile() {
        return ApiError.notFound(NO_SUCH_FILE);
    }
}
