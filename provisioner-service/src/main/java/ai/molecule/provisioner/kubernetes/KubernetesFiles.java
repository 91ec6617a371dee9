package ai.molecule.provisioner.kubernetes;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.containers.Tar;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A workspace's files through commands where its volume is. Every call is one command, a write one for each file. */
final class KubernetesFiles implements WorkspaceFiles {

    /** A line of a listing: type, size and a path of at most 1 KiB. */
    private static final int LISTING_MAX_BYTES = ENTRIES_MAX * 1100;

    private final Vertx vertx;
    private final Shell shell;
    private final int uid;

    /** @param uid who shall own what is put there */
    KubernetesFiles(Vertx vertx, Shell shell, int uid) {
        this.vertx = vertx;
        this.shell = shell;
        this.uid = uid;
    }

    @Override
    public Future<List<Entry>> list(UUID workspaceId, Root root, FilePath folder, int depth) {
        return vertx.executeBlocking(
                () -> {
                    var found = run(workspaceId, Scripts.LIST, LISTING_MAX_BYTES, root, folder, String.valueOf(depth));
                    return Arrays.stream(found.output().toString().split("\0"))
                            .filter(line -> !line.isEmpty())
                            .map(line -> line.split(" ", 3))
                            .map(parts -> new Entry(
                                    FilePath.of(parts[2]), Long.parseLong(parts[1]), parts[0].equals("d")))
                            .sorted(Comparator.comparing(entry -> entry.path().toString()))
                            .toList();
                },
                false);
    }

    @Override
    public Future<Optional<Buffer>> read(UUID workspaceId, Root root, FilePath file) {
        return vertx.executeBlocking(
                () -> {
                    var read = run(
                            workspaceId, Scripts.READ, FILE_MAX_BYTES, root, file, String.valueOf(FILE_MAX_BYTES));
                    return read.exitCode() == Scripts.ABSENT ? Optional.<Buffer>empty() : Optional.of(read.output());
                },
                false);
    }

    @Override
    public Future<Void> write(UUID workspaceId, Root root, Map<FilePath, Buffer> files) {
        return vertx.executeBlocking(
                () -> {
                    for (var file : files.entrySet()) {
                        var content = file.getValue();
                        send(workspaceId, Scripts.WRITE, content, root, file.getKey());
                    }
                    return null;
                },
                false);
    }

    @Override
    public Future<Void> putFolder(UUID workspaceId, Root root, FilePath target, Path source) {
        return vertx.executeBlocking(
                () -> {
                    send(workspaceId, Scripts.PUT_FOLDER, Tar.of(source, uid), root, target);
                    return null;
                },
                false);
    }

    @Override
    public Future<Boolean> delete(UUID workspaceId, Root root, FilePath path) {
        return vertx.executeBlocking(
                () -> run(workspaceId, Scripts.DELETE, 0, root, path).exitCode() != Scripts.ABSENT, false);
    }

    private void send(UUID workspaceId, String script, Buffer input, Root root, FilePath path) throws IOException {
        var sent = shell.run(
                workspaceId,
                script,
                input,
                0,
                Manifests.folder(root),
                path.toString(),
                String.valueOf(input.length()));
        check(sent);
        if (sent.exitCode() == Scripts.ABSENT) {
            throw ApiError.invalid("invalid path");
        }
    }

    private Shell.Outcome run(UUID workspaceId, String script, int maxBytes, Root root, FilePath path, String... more)
            throws IOException {
        String[] arguments = new String[2 + more.length];
        arguments[0] = Manifests.folder(root);
        arguments[1] = path.toString();
        System.arraycopy(more, 0, arguments, 2, more.length);
        var done = shell.run(workspaceId, script, Buffer.buffer(), maxBytes, arguments);
        check(done);
        return done;
    }

    private static void check(Shell.Outcome done) throws IOException {
        switch (done.exitCode()) {
            case 0, Scripts.ABSENT -> {}
            case Scripts.TOO_LARGE -> throw new ApiError(ApiError.Kind.TOO_LARGE, "file too large");
            default -> throw new IOException("a command in a pod ended with exit code " + done.exitCode());
        }
    }
}
