package ai.molecule.provisioner.docker;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.containers.Tar;
import ai.molecule.provisioner.docker.FileState.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volumes of a workspace. Contents travel as archives through containers that never run ({@link MountsLender}); listing and
 * deleting is done by a shell in one that runs for a moment ({@link ToolContainer}). Every folder on the way is looked at first,
 * and none that is a link is entered. An agent that swaps one in between wins nothing: in those containers there is nothing else.
 */
final class DockerFiles implements WorkspaceFiles {

    /** What one folder or local file put into a workspace may hold together. */
    static final int PUT_MAX_BYTES = 64 * 1024 * 1024;

    private static final int TAR_OVERHEAD = 64 * 1024;
    private static final int NOT_THERE = 4;

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
            rm -rf -- "./$1"
            """;

    private static final Logger LOGGER = LoggerFactory.getLogger(DockerFiles.class);

    private final Vertx vertx;
    private final Engine engine;
    private final MountsLender mounts;
    private final ToolContainer tools;
    private final int uid;

    DockerFiles(Vertx vertx, Engine engine, MountsLender mounts, ToolContainer tools, int uid) {
        this.vertx = vertx;
        this.engine = engine;
        this.mounts = mounts;
        this.tools = tools;
        this.uid = uid;
    }

    @Override
    public Future<List<Entry>> list(UUID workspaceId, Root root, FilePath folder, int depth) {
        List<String> arguments = new ArrayList<>(folder.names());
        arguments.addFirst(String.valueOf(Math.clamp(depth, 1, 5)));
        return tools.run(workspaceId, root, LIST, arguments).compose(outcome -> {
            if (outcome.exit() == NOT_THERE) {
                return Future.succeededFuture(List.of());
            }
            var entries = outcome.output().toString(StandardCharsets.UTF_8).split("\0", -1);
            if (entries.length > ENTRIES_MAX + 1) {
                LOGGER.atWarn().addKeyValue("workspaceId", workspaceId).log("a listing was cut at its bound");
            }
            return Future.succeededFuture(Arrays.stream(entries)
                    .limit(ENTRIES_MAX)
                    .flatMap(line -> entryOf(line).stream())
                    .sorted(Comparator.comparing(entry -> entry.path().toString()))
                    .toList());
        });
    }

    @Override
    public Future<Optional<Buffer>> read(UUID workspaceId, Root root, FilePath file) {
        return mounts.lend(
                workspaceId,
                List.of(root),
                id -> state(id, root, file, 1).compose(state -> {
                    if (state.kind() != Kind.FILE) {
                        return Future.succeededFuture(Optional.empty());
                    }
                    return state.size() > FILE_MAX_BYTES ? Future.failedFuture(tooLarge()) : content(id, root, file);
                }));
    }

    @Override
    public Future<Optional<Content>> open(UUID workspaceId, Root root, FilePath file) {
        return mounts.borrow(workspaceId, List.of(root))
                .compose(id -> state(id, root, file, 1)
                        .compose(state -> state.kind() == Kind.FILE
                                ? engine.open(at(id, root, file))
                                        .map(found -> found.map(tar -> contentOf(id, state, tar)))
                                : Future.succeededFuture(Optional.<Content>empty()))
                        .onComplete(opened -> {
                            if (opened.failed() || opened.result().isEmpty()) {
                                mounts.giveBack(id);
                            }
                        }));
    }

    private Content contentOf(String id, FileState state, HttpClientResponse tar) {
        var given = new AtomicBoolean();
        Runnable giveBack = () -> {
            if (given.compareAndSet(false, true)) {
                tar.request().reset();
                mounts.giveBack(id);
            }
        };
        return new Content(state.size(), new TarContent(tar, state.size()), giveBack);
    }

    @Override
    public Future<Void> write(UUID workspaceId, Root root, Map<FilePath, Buffer> files) {
        if (files.values().stream().anyMatch(content -> content.length() > FILE_MAX_BYTES)) {
            return Future.failedFuture(tooLarge());
        }
        Map<FilePath, Piece> pieces = new TreeMap<>(Comparator.comparing(FilePath::toString));
        files.forEach((path, content) -> pieces.put(
                path,
                new Piece(
                        content.getBytes(),
                        WorkspaceFiles.isProgram(content.getBytes()) ? Tar.FOLDER_MODE : Tar.FILE_MODE)));
        return put(workspaceId, root, pieces);
    }

    @Override
    public Future<Void> putFile(UUID workspaceId, Root root, FilePath target, Path source) {
        return vertx.executeBlocking(() -> Map.of(target, new Piece(bounded(source), Tar.FILE_MODE)), false)
                .compose(piece -> put(workspaceId, root, piece));
    }

    @Override
    public Future<Void> putFolder(UUID workspaceId, Root root, FilePath target, Path source) {
        if (target.isRoot()) {
            return Future.failedFuture(ApiError.invalid("invalid path"));
        }
        return vertx.executeBlocking(() -> piecesOf(target, source), false)
                .compose(pieces -> delete(workspaceId, root, target).compose(gone -> put(workspaceId, root, pieces)));
    }

    @Override
    public Future<Boolean> delete(UUID workspaceId, Root root, FilePath path) {
        if (path.isRoot()) {
            return Future.failedFuture(ApiError.invalid("invalid path"));
        }
        return tools.run(workspaceId, root, DELETE, path.names()).compose(outcome -> switch (outcome.exit()) {
            case 0 -> Future.succeededFuture(true);
            case NOT_THERE -> Future.succeededFuture(false);
            default -> Future.failedFuture(new IOException("deleting ended with " + outcome.exit()));
        });
    }

    /** Before a start: every root is the agent's, and its token is there for it alone. */
    Future<Void> lay(UUID workspaceId, String token) {
        var tar = new Tar(uid);
        Arrays.stream(Root.values()).map(MountsLender::nameOf).forEach(tar::folder);
        tar.file("configs/.auth_token", token.getBytes(StandardCharsets.UTF_8), Tar.PRIVATE_MODE);
        return mounts.lend(workspaceId, List.of(Root.values()), id -> extract(id, tar));
    }

    /** @param content null for a folder */
    private record Piece(byte @Nullable [] content, int mode) {}

    private Future<Void> put(UUID workspaceId, Root root, Map<FilePath, Piece> pieces) {
        var tree = new FileTree();
        pieces.forEach((path, piece) -> {
            if (piece.content() == null) {
                tree.folder(path);
            } else {
                tree.file(path);
            }
        });
        return mounts.lend(
                workspaceId,
                List.of(root),
                id -> missing(id, root, tree.folders())
                        .compose(folders -> free(id, root, tree.files()).compose(free -> {
                            var tar = new Tar(uid).folder(MountsLender.nameOf(root));
                            folders.forEach(folder -> tar.folder(below(root, folder)));
                            pieces.forEach((path, piece) -> {
                                if (piece.content() != null) {
                                    tar.file(below(root, path), piece.content(), piece.mode());
                                }
                            });
                            return extract(id, tar);
                        })));
    }

    /** Those folders that have to be made; fails with INVALID when something else stands there. In order, parents first. */
    private Future<List<FilePath>> missing(String id, Root root, List<FilePath> folders) {
        Future<List<FilePath>> chain = Future.succeededFuture(new ArrayList<>());
        for (var folder : folders) {
            chain = chain.compose(missing -> {
                boolean parentIsMissing = missing.stream()
                        .anyMatch(
                                above -> above.names().size() == folder.names().size() - 1
                                        && folder.names()
                                                .subList(0, above.names().size())
                                                .equals(above.names()));
                if (parentIsMissing) {
                    missing.add(folder);
                    return Future.succeededFuture(missing);
                }
                return stat(id, root, folder).compose(state -> switch (state.kind()) {
                    case FOLDER -> Future.succeededFuture(missing);
                    case ABSENT -> {
                        missing.add(folder);
                        yield Future.succeededFuture(missing);
                    }
                    case FILE, OTHER -> Future.failedFuture(inTheWay(folder));
                });
            });
        }
        return chain;
    }

    /** Fails with INVALID when a folder stands where a file is to be written. */
    private Future<Void> free(String id, Root root, List<FilePath> files) {
        return Future.all(files.stream()
                        .map(file -> stat(id, root, file)
                                .compose(state -> state.kind() == Kind.FOLDER
                                        ? Future.<Void>failedFuture(inTheWay(file))
                                        : Future.<Void>succeededFuture()))
                        .toList())
                .mapEmpty();
    }

    /** Of what a path names, entered from its root on; absent when something on the way is no folder. */
    private Future<FileState> state(String id, Root root, FilePath path, int upTo) {
        if (upTo >= path.names().size()) {
            return stat(id, root, path);
        }
        return stat(id, root, new FilePath(path.names().subList(0, upTo)))
                .compose(state -> state.kind() == Kind.FOLDER
                        ? state(id, root, path, upTo + 1)
                        : Future.succeededFuture(FileState.ABSENT));
    }

    private Future<FileState> stat(String id, Root root, FilePath path) {
        return engine.archive(HttpMethod.HEAD, at(id, root, path), null, Engine.JSON_MAX_BYTES)
                .compose(answer -> answer.require(404))
                .map(answer -> {
                    String header = answer.header(FileState.HEADER);
                    return answer.isMissing() || header == null ? FileState.ABSENT : FileState.of(header);
                });
    }

    private Future<Optional<Buffer>> content(String id, Root root, FilePath file) {
        return engine.archive(HttpMethod.GET, at(id, root, file), null, FILE_MAX_BYTES + TAR_OVERHEAD)
                .compose(answer -> answer.require(404))
                .compose(answer -> answer.isMissing()
                        ? Future.succeededFuture(Optional.<Buffer>empty())
                        : vertx.executeBlocking(() -> Tar.firstFile(answer.body()), false))
                .recover(failure ->
                        Future.failedFuture(failure instanceof EngineAnswer.TooLarge ? tooLarge() : failure));
    }

    private Future<Void> extract(String id, Tar tar) {
        String path = "/containers/%s/archive?path=%s".formatted(id, Engine.encode(MountsLender.ROOTS));
        return engine.archive(HttpMethod.PUT, path, tar.finish(), Engine.JSON_MAX_BYTES)
                .compose(EngineAnswer::require)
                .mapEmpty();
    }

    private static String at(String id, Root root, FilePath path) {
        return "/containers/%s/archive?path=%s"
                .formatted(id, Engine.encode(MountsLender.ROOTS + "/" + below(root, path)));
    }

    private static String below(Root root, FilePath path) {
        return path.isRoot() ? MountsLender.nameOf(root) : MountsLender.nameOf(root) + "/" + path;
    }

    private static Optional<Entry> entryOf(String line) {
        var parts = line.split(" ", 3);
        if (parts.length < 3) {
            return Optional.empty();
        }
        try {
            boolean folder = parts[0].equals("d");
            return Optional.of(new Entry(FilePath.of(parts[2]), folder ? 0 : Long.parseLong(parts[1]), folder));
        } catch (ApiError noNameForUs) {
            return Optional.empty();
        }
    }

    private static Map<FilePath, Piece> piecesOf(FilePath target, Path source) throws IOException {
        Map<FilePath, Piece> pieces = new TreeMap<>(Comparator.comparing(FilePath::toString));
        pieces.put(target, new Piece(null, Tar.FOLDER_MODE));
        long bytes = 0;
        List<Path> found;
        try (var walk = Files.walk(source)) {
            found = walk.limit(ENTRIES_MAX + 1L).toList();
        }
        if (found.size() > ENTRIES_MAX) {
            throw tooLarge();
        }
        for (Path path : found) {
            boolean folder = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
            if (path.equals(source) || (!folder && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))) {
                continue;
            }
            var at = target.resolve(FilePath.of(source.relativize(path).toString()));
            byte[] content = folder ? null : bounded(path);
            bytes += content == null ? 0 : content.length;
            if (bytes > PUT_MAX_BYTES) {
                throw tooLarge();
            }
            pieces.put(at, new Piece(content, Files.isExecutable(path) ? Tar.FOLDER_MODE : Tar.FILE_MODE));
        }
        return pieces;
    }

    private static byte[] bounded(Path file) throws IOException {
        if (Files.size(file) > PUT_MAX_BYTES) {
            throw tooLarge();
        }
        return Files.readAllBytes(file);
    }

    private static ApiError tooLarge() {
        return new ApiError(ApiError.Kind.TOO_LARGE, "file too large");
    }

    private static ApiError inTheWay(FilePath path) {
        return ApiError.invalid("invalid path: something else is at " + path);
    }
}
