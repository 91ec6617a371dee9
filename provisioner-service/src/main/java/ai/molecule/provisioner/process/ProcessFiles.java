package ai.molecule.provisioner.process;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.OpenOptions;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;

/**
 * The agents' folders on this machine. An agent may change them at any moment and in any way, so everything goes from one held
 * folder to the next, see {@link HeldPath}, and what is written or deleted passes {@link Staging}.
 */
final class ProcessFiles implements WorkspaceFiles {

    private final Vertx vertx;
    private final Path data;
    private final Staging staging;

    /** @param data the agents' folders are in {@code workspaces} below it */
    ProcessFiles(Vertx vertx, Path data) {
        this.vertx = vertx;
        this.data = data;
        this.staging = new Staging(data.resolve("staging"));
    }

    @Override
    public Future<Usage> usage(UUID workspaceId) {
        return blocking(() -> {
            var folder = AgentFolder.of(data, workspaceId);
            var counting = new Counting();
            for (Path root : new Path[] {folder.configs(), folder.workspace(), folder.plugins(), folder.temporary()}) {
                Files.walkFileTree(root, counting);
            }
            return counting.usage();
        });
    }

    @Override
    public Future<List<Entry>> list(UUID workspaceId, Root root, FilePath folder, int depth) {
        return blocking(() -> {
            try (var top = findRoot(workspaceId, root).orElse(null)) {
                if (top == null) {
                    return List.of();
                }
                var listing = new Listing(workspaceId, folder, depth);
                return listing.of(top).stream()
                        .sorted(Comparator.comparing(entry -> entry.path().toString()))
                        .toList();
            }
        });
    }

    @Override
    public Future<Optional<Buffer>> read(UUID workspaceId, Root root, FilePath file) {
        return blocking(() -> {
            try (var held = findFile(workspaceId, root, file).orElse(null)) {
                return held == null ? Optional.empty() : Optional.of(contentOf(held));
            }
        });
    }

    @Override
    public Future<Optional<Content>> open(UUID workspaceId, Root root, FilePath file) {
        return blocking(() -> findFile(workspaceId, root, file)).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture(Optional.<Content>empty());
            }
            var held = found.get();
            return blocking(() -> held.attributes().size())
                    .compose(size -> vertx.fileSystem()
                            .open(held.path().toString(), new OpenOptions().setWrite(false))
                            .map(opened -> {
                                opened.pause().setReadLength(size);
                                return Optional.of(new Content(size, opened, opened::close));
                            }))
                    .onComplete(done -> held.close());
        });
    }

    @Override
    public Future<Void> write(UUID workspaceId, Root root, Map<FilePath, Buffer> files) {
        return blocking(() -> {
            writeNow(workspaceId, root, files);
            return null;
        });
    }

    /** As {@link #write}, on the calling thread. */
    void writeNow(UUID workspaceId, Root root, Map<FilePath, Buffer> files) throws IOException {
        for (var file : files.entrySet()) {
            if (file.getValue().length() > FILE_MAX_BYTES) {
                throw tooLarge();
            }
            Placing.checkApart(file.getKey(), files.keySet());
        }
        try (var top = openRoot(workspaceId, root)) {
            for (var path : files.keySet()) {
                Placing.checkFree(top, path);
            }
            for (var file : files.entrySet()) {
                place(top, file.getKey(), staging.file(file.getValue().getBytes()));
            }
        }
    }

    @Override
    public Future<Void> putFile(UUID workspaceId, Root root, FilePath target, Path source) {
        return blocking(() -> {
            try (var top = openRoot(workspaceId, root)) {
                Placing.checkFree(top, target);
                place(top, target, staging.copyOfFile(source));
            }
            return null;
        });
    }

    @Override
    public Future<Void> putFolder(UUID workspaceId, Root root, FilePath target, Path source) {
        return blocking(() -> {
            var name = Placing.nameOf(target);
            var copy = staging.copyOfFolder(source);
            try (var top = openRoot(workspaceId, root);
                    var parent = Placing.openParent(top, target)) {
                staging.destroy(parent, name);
                Ownership.giveLike(parent, copy);
                Files.move(copy, parent.child(name), StandardCopyOption.ATOMIC_MOVE);
            } finally {
                staging.discard(copy);
            }
            return null;
        });
    }

    @Override
    public Future<Boolean> delete(UUID workspaceId, Root root, FilePath path) {
        return blocking(() -> {
            var name = Placing.nameOf(path);
            try (var top = findRoot(workspaceId, root).orElse(null);
                    var parent = top == null
                            ? null
                            : top.findFolder(Placing.parentOf(path)).orElse(null)) {
                return parent != null && staging.destroy(parent, name);
            }
        });
    }

    /** Everything kept for a workspace; on the calling thread. */
    void deleteAll(UUID workspaceId) throws IOException {
        try (var workspaces = HeldPath.of(AgentFolder.parentIn(data))) {
            staging.destroy(workspaces, workspaceId.toString());
        } catch (NoSuchFileException neverStarted) {
            // nothing is kept
        }
    }

    /** What an agent laid for the time of its start. Its agent must not run. Blocks. */
    void clearTemporary(UUID workspaceId) throws IOException {
        try (var folder = HeldPath.of(AgentFolder.of(data, workspaceId).root())) {
            staging.destroy(folder, AgentFolder.TEMPORARY);
        } catch (NoSuchFileException neverStarted) {
            // nothing is kept
        }
    }

    /** Deletes what a crash left between two steps. */
    Future<Void> clearStaging() {
        return blocking(() -> {
            staging.clear();
            return null;
        });
    }

    private void place(HeldPath top, FilePath path, Path staged) throws IOException {
        try (var parent = Placing.openParent(top, path)) {
            Ownership.giveLike(parent, staged);
            Files.move(staged, parent.child(Placing.nameOf(path)), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(staged);
        }
    }

    private Optional<HeldPath> findFile(UUID workspaceId, Root root, FilePath file) throws IOException {
        if (file.isRoot()) {
            return Optional.empty();
        }
        try (var top = findRoot(workspaceId, root).orElse(null);
                var parent = top == null
                        ? null
                        : top.findFolder(Placing.parentOf(file)).orElse(null)) {
            var found = parent == null ? Optional.<HeldPath>empty() : parent.find(Placing.nameOf(file));
            if (found.isPresent() && !isReadable(found.get())) {
                found.get().close();
                return Optional.empty();
            }
            return found;
        }
    }

    /** A file that has another name elsewhere may be somebody else's, whatever folder that name is in. One that was just replaced has none. */
    private static boolean isReadable(HeldPath held) throws IOException {
        return held.attributes().isRegularFile() && (int) Files.getAttribute(held.path(), "unix:nlink") <= 1;
    }

    private static Buffer contentOf(HeldPath file) throws IOException {
        if (file.attributes().size() > FILE_MAX_BYTES) {
            throw tooLarge();
        }
        try (var in = Files.newInputStream(file.path())) {
            byte[] content = in.readNBytes(FILE_MAX_BYTES + 1); // it may grow while it is read
            if (content.length > FILE_MAX_BYTES) {
                throw tooLarge();
            }
            return Buffer.buffer(content);
        }
    }

    private Optional<HeldPath> findRoot(UUID workspaceId, Root root) throws IOException {
        try (var workspaces = HeldPath.of(AgentFolder.parentIn(data))) {
            return workspaces.findFolder(List.of(workspaceId.toString(), AgentFolder.nameOf(root)));
        } catch (NoSuchFileException neverStarted) {
            return Optional.empty();
        }
    }

    /** Created where it is missing. */
    private HeldPath openRoot(UUID workspaceId, Root root) throws IOException {
        var parent = AgentFolder.parentIn(data);
        Files.createDirectories(parent);
        try (var workspaces = HeldPath.of(parent)) {
            return Placing.openFolder(workspaces, List.of(workspaceId.toString(), AgentFolder.nameOf(root)));
        }
    }

    private static ApiError tooLarge() {
        return new ApiError(
                ApiError.Kind.TOO_LARGE, "a file may hold %d MiB".formatted(FILE_MAX_BYTES / (1024 * 1024)));
    }

    private <T> Future<T> blocking(Callable<T> work) {
        return vertx.executeBlocking(work, false)
                .recover(failure -> Future.failedFuture(
                        failure instanceof AccessDeniedException ? ApiError.forbidden("permission denied") : failure));
    }
}
