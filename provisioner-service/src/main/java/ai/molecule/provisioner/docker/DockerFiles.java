package ai.molecule.provisioner.docker;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.containers.FoundEntries;
import ai.molecule.provisioner.containers.Tar;
import ai.molecule.provisioner.containers.UsageScript;
import ai.molecule.provisioner.docker.FileState.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The volumes of a workspace. Contents travel as archives through containers that never run ({@link MountsLender}); listing and
 * deleting is done by a shell in one that runs for a moment ({@link ToolContainer}). Every folder on the way is looked at first,
 * and none that is a link is entered. An agent that swaps one in between wins nothing: in those containers there is nothing else.
 */
final class DockerFiles implements WorkspaceFiles {

    private static final int NOT_THERE = 4;
    private static final int READ_ONLY = 5;

    /** Enters {@code $2…}, one argument each, never through a link; {@code $1} is the depth. */
    private static final String LIST = """
            depth=$1; shift
            for name in "$@"; do
              if [ -L "./$name" ] || [ ! -d "./$name" ]; then exit 4; fi
              cd "./$name" || exit 4
            done
            find . -mindepth 1 -maxdepth "$depth" '(' -type d -o -type f ')' -printf '%y %s %P\\0' | head -z -n 10001
            """;

    /** Enters all but the last of its arguments, and deletes what the last one names. */
    private static final String DELETE = """
            while [ $# -gt 1 ]; do
              if [ -L "./$1" ] || [ ! -d "./$1" ]; then exit 4; fi
              cd "./$1" || exit 4
              shift
            done
            if [ ! -e "./$1" ] && [ ! -L "./$1" ]; then exit 4; fi
            [ -w . ] || exit 5
            rm -rf -- "./$1"
            """;

    private final Vertx vertx;
    private final MountsLender mounts;
    private final Archives archives;
    private final Placing placing;
    private final ToolContainer tools;
    private final int uid;

    DockerFiles(Vertx vertx, Engine engine, MountsLender mounts, ToolContainer tools, int uid) {
        this.vertx = vertx;
        this.mounts = mounts;
        this.tools = tools;
        this.uid = uid;
        this.archives = new Archives(vertx, engine);
        this.placing = new Placing(archives, uid);
    }

    @Override
    public Future<Usage> usage(UUID workspaceId) {
        return tools.runInVolumes(workspaceId, UsageScript.TEXT, List.of(".")).compose(outcome -> {
            try {
                return Future.succeededFuture(UsageScript.in(outcome.output().toString(StandardCharsets.UTF_8)));
            } catch (IOException unread) {
                return Future.failedFuture(unread);
            }
        });
    }

    @Override
    public Future<List<Entry>> list(UUID workspaceId, Root root, FilePath folder, int depth) {
        List<String> arguments = new ArrayList<>(folder.names());
        arguments.addFirst(String.valueOf(Math.clamp(depth, 1, 5)));
        return tools.run(workspaceId, root, LIST, arguments).compose(outcome -> {
            if (outcome.exit() == NOT_THERE) {
                return Future.succeededFuture(List.of());
            }
            return Future.succeededFuture(
                    FoundEntries.in(outcome.output().toString(StandardCharsets.UTF_8), workspaceId));
        });
    }

    @Override
    public Future<Optional<Buffer>> read(UUID workspaceId, Root root, FilePath file) {
        return mounts.lend(
                workspaceId,
                List.of(root),
                loan -> archives.state(loan.id(), root, file, 1).compose(state -> {
                    if (state.kind() != Kind.FILE) {
                        return Future.succeededFuture(Optional.empty());
                    }
                    return state.size() > FILE_MAX_BYTES
                            ? Future.failedFuture(Pieces.tooLarge())
                            : archives.content(loan.id(), root, file);
                }));
    }

    @Override
    public Future<Optional<Content>> open(UUID workspaceId, Root root, FilePath file) {
        return mounts.borrow(workspaceId, List.of(root))
                .compose(loan -> archives.state(loan.id(), root, file, 1)
                        .compose(state -> state.kind() == Kind.FILE
                                ? archives.open(loan.id(), root, file)
                                        .map(found -> found.map(tar -> contentOf(loan, state, tar)))
                                : Future.succeededFuture(Optional.<Content>empty()))
                        .onComplete(opened -> {
                            if (opened.failed() || opened.result().isEmpty()) {
                                mounts.giveBack(loan);
                            }
                        }));
    }

    private Content contentOf(MountsLender.Loan loan, FileState state, HttpClientResponse tar) {
        var given = new AtomicBoolean();
        Runnable giveBack = () -> {
            if (given.compareAndSet(false, true)) {
                tar.request().reset();
                mounts.giveBack(loan);
            }
        };
        return new Content(state.size(), new TarContent(tar, state.size()), giveBack);
    }

    @Override
    public Future<Void> write(UUID workspaceId, Root root, Map<FilePath, Buffer> files) {
        try {
            return put(workspaceId, root, Pieces.of(files));
        } catch (ApiError tooLarge) {
            return Future.failedFuture(tooLarge);
        }
    }

    @Override
    public Future<Void> putFile(UUID workspaceId, Root root, FilePath target, Path source) {
        return vertx.executeBlocking(() -> Pieces.ofFile(target, source), false)
                .compose(piece -> put(workspaceId, root, piece));
    }

    @Override
    public Future<Void> putFolder(UUID workspaceId, Root root, FilePath target, Path source) {
        if (target.isRoot()) {
            return Future.failedFuture(ApiError.invalid("invalid path"));
        }
        return vertx.executeBlocking(() -> Pieces.ofFolder(target, source), false)
                .compose(pieces -> delete(workspaceId, root, target).compose(gone -> put(workspaceId, root, pieces)));
    }

    private Future<Void> put(UUID workspaceId, Root root, Pieces pieces) {
        return mounts.lend(workspaceId, List.of(root), loan -> placing.put(loan, root, pieces));
    }

    @Override
    public Future<Boolean> delete(UUID workspaceId, Root root, FilePath path) {
        if (path.isRoot()) {
            return Future.failedFuture(ApiError.invalid("invalid path"));
        }
        return tools.run(workspaceId, root, DELETE, path.names()).compose(outcome -> switch (outcome.exit()) {
            case 0 -> Future.succeededFuture(true);
            case NOT_THERE -> Future.succeededFuture(false);
            case READ_ONLY -> Future.failedFuture(Archives.readOnly());
            default -> Future.failedFuture(new IOException("deleting ended with " + outcome.exit()));
        });
    }

    /** Before a start: every root is the agent's, save a folder that a person lends, and its token is there for it alone. */
    Future<Void> lay(Launch launch) {
        var workspace = launch.workspace();
        var roots = Arrays.stream(Root.values())
                .filter(root -> root != Root.WORKSPACE || !workspace.worksInLentFolder())
                .toList();
        var tar = new Tar(uid);
        roots.stream().map(MountsLender::nameOf).forEach(tar::folder);
        tar.file("configs/.auth_token", launch.token().getBytes(StandardCharsets.UTF_8), Tar.PRIVATE_MODE);
        if (!Sessions.haveVolume(workspace)) {
            return mounts.lend(workspace.id(), roots, loan -> archives.extract(loan.id(), tar));
        }
        Sessions.layInto(tar);
        return mounts.lendWithSessions(workspace.id(), roots, loan -> archives.extract(loan.id(), tar));
    }
}
