package ai.molecule.provisioner.kubernetes;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.containers.FoundEntries;
import ai.molecule.provisioner.containers.Tar;
import ai.molecule.provisioner.containers.UsageScript;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * A workspace's files through commands where its volume is ({@link Scripts}). Several files are checked by one command before the
 * first is written by another; what is larger than a read may be passes through a local file.
 *
 * @param uid who shall own what is put there
 */
record KubernetesFiles(Vertx vertx, Shell shell, int uid) implements WorkspaceFiles {

    /** What a file that is opened or put may hold: 100 MiB, as much as a plugin. */
    private static final long TRANSFER_MAX_BYTES = 100L << 20;

    @Override
    public Future<Usage> usage(UUID workspaceId) {
        return blocking(() -> {
            var answer = new ByteArrayOutputStream();
            var folders = Arrays.stream(Root.values()).map(Manifests::folder).toList();
            int exitCode = shell.run(workspaceId, UsageScript.TEXT, folders, InputStream.nullInputStream(), answer);
            return found(exitCode) ? UsageScript.in(answer.toString(StandardCharsets.UTF_8)) : new Usage(0, 0);
        });
    }

    @Override
    public Future<List<Entry>> list(UUID workspaceId, Root root, FilePath folder, int depth) {
        return blocking(() -> {
            var listing = new ByteArrayOutputStream();
            if (!found(run(workspaceId, Scripts.LIST, root, depth, folder, InputStream.nullInputStream(), listing))) {
                return List.of();
            }
            return FoundEntries.in(listing.toString(StandardCharsets.UTF_8), workspaceId);
        });
    }

    @Override
    public Future<Optional<Buffer>> read(UUID workspaceId, Root root, FilePath file) {
        return blocking(() -> {
            var content = new ByteArrayOutputStream();
            return load(workspaceId, root, file, FILE_MAX_BYTES, content)
                    ? Optional.of(Buffer.buffer(content.toByteArray()))
                    : Optional.empty();
        });
    }

    @Override
    public Future<Optional<Content>> open(UUID workspaceId, Root root, FilePath file) {
        return blocking(() -> {
                    var copy = Files.createTempFile("molecule-", ".download");
                    try (var out = Files.newOutputStream(copy)) {
                        if (load(workspaceId, root, file, TRANSFER_MAX_BYTES, out)) {
                            return Optional.of(copy);
                        }
                    } catch (IOException | RuntimeException failure) {
                        Files.delete(copy);
                        throw failure;
                    }
                    Files.delete(copy);
                    return Optional.<Path>empty();
                })
                .compose(copy -> copy.isEmpty()
                        ? Future.succeededFuture(Optional.empty())
                        : opened(copy.get()).map(Optional::of));
    }

    /** The copy vanishes with its reader. */
    private Future<Content> opened(Path copy) {
        var options = new OpenOptions().setWrite(false).setDeleteOnClose(true);
        return vertx.fileSystem()
                .open(copy.toString(), options)
                .map(AsyncFile::pause)
                .compose(opened -> opened.size().map(size -> new Content(size, opened, opened::close)));
    }

    @Override
    public Future<Void> write(UUID workspaceId, Root root, Map<FilePath, Buffer> files) {
        return blocking(() -> {
            if (files.values().stream().anyMatch(content -> content.length() > FILE_MAX_BYTES)) {
                throw tooLarge();
            }
            checkApart(files.keySet());
            check(workspaceId, root, files.keySet());
            for (var file : files.entrySet()) {
                var content = file.getValue();
                store(
                        workspaceId,
                        Scripts.WRITE,
                        root,
                        file.getKey(),
                        content.length(),
                        new ByteArrayInputStream(content.getBytes()));
            }
            return null;
        });
    }

    @Override
    public Future<Void> putFile(UUID workspaceId, Root root, FilePath target, Path source) {
        return blocking(() -> {
            if (Files.size(source) > TRANSFER_MAX_BYTES) {
                throw tooLarge();
            }
            check(workspaceId, root, List.of(target));
            try (var content = Files.newInputStream(source)) {
                store(workspaceId, Scripts.WRITE, root, target, Files.size(source), content);
            }
            return null;
        });
    }

    @Override
    public Future<Void> putFolder(UUID workspaceId, Root root, FilePath target, Path source) {
        return blocking(() -> {
            requireBelowRoot(target);
            var archive = Tar.of(source, uid);
            store(
                    workspaceId,
                    Scripts.PUT_FOLDER,
                    root,
                    target,
                    archive.length(),
                    new ByteArrayInputStream(archive.getBytes()));
            return null;
        });
    }

    @Override
    public Future<Boolean> delete(UUID workspaceId, Root root, FilePath path) {
        return blocking(() -> {
            requireBelowRoot(path);
            return found(run(
                    workspaceId,
                    Scripts.DELETE,
                    root,
                    0,
                    path,
                    InputStream.nullInputStream(),
                    OutputStream.nullOutputStream()));
        });
    }

    private boolean load(UUID workspaceId, Root root, FilePath file, long maxBytes, OutputStream content)
            throws IOException {
        return !file.isRoot()
                && found(run(workspaceId, Scripts.READ, root, maxBytes, file, InputStream.nullInputStream(), content));
    }

    private void store(UUID workspaceId, String script, Root root, FilePath target, long bytes, InputStream content)
            throws IOException {
        require(run(workspaceId, script, root, bytes, target, content, OutputStream.nullOutputStream()), target);
    }

    /** Fails with INVALID when one of the paths cannot be written; nothing is changed. */
    private void check(UUID workspaceId, Root root, Iterable<FilePath> files) throws IOException {
        var arguments = Stream.<String>builder().add(Manifests.folder(root)).add("0");
        for (var file : files) {
            requireBelowRoot(file);
            arguments.add(file.toString());
        }
        int exitCode = shell.run(
                workspaceId,
                Scripts.CHECK,
                arguments.build().toList(),
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream());
        require(exitCode, FilePath.ROOT);
    }

    private int run(
            UUID workspaceId,
            String script,
            Root root,
            long number,
            FilePath path,
            InputStream input,
            OutputStream output)
            throws IOException {
        var arguments = List.of(Manifests.folder(root), String.valueOf(number), path.toString());
        return shell.run(workspaceId, script, arguments, input, output);
    }

    /** A path that leads through a file or a link leads to nothing. */
    private static boolean found(int exitCode) throws IOException {
        return switch (exitCode) {
            case 0 -> true;
            case Scripts.ABSENT, Scripts.IN_THE_WAY -> false;
            case Scripts.TOO_LARGE -> throw tooLarge();
            default -> throw new IOException("a command in a pod ended with exit code " + exitCode);
        };
    }

    private static void require(int exitCode, FilePath target) throws IOException {
        if (!found(exitCode)) {
            throw ApiError.invalid(target.isRoot() ? "invalid path" : "invalid path: something else is at " + target);
        }
    }

    private static void requireBelowRoot(FilePath path) {
        if (path.isRoot()) {
            throw ApiError.invalid("invalid path");
        }
    }

    /** A path cannot be a file and a folder. */
    private static void checkApart(Iterable<FilePath> files) {
        for (var file : files) {
            for (var other : files) {
                if (other.names().size() > file.names().size()
                        && other.names().subList(0, file.names().size()).equals(file.names())) {
                    throw ApiError.invalid("invalid path: something else is at " + file);
                }
            }
        }
    }

    private static ApiError tooLarge() {
        return new ApiError(ApiError.Kind.TOO_LARGE, "file too large");
    }

    private <T> Future<T> blocking(Callable<T> call) {
        return vertx.executeBlocking(call, false);
    }
}
