package ai.molecule.provisioner.docker;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.containers.Tar;
import ai.molecule.provisioner.docker.FileState.Kind;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * Putting files below a root: what stands in the way is found first, then everything goes in as one archive.
 *
 * @param uid who owns what is put there
 */
record Placing(Archives archives, int uid) {

    /** Fails with INVALID, having changed nothing, when a file stands where a folder is needed or the other way round. */
    Future<Void> put(MountsLender.Loan loan, Root root, Pieces pieces) {
        var tree = pieces.tree();
        String id = loan.id();
        return missing(id, root, tree.folders())
                .compose(folders -> free(id, root, tree.files()).compose(free -> {
                    var tar = new Tar(uid);
                    if (!loan.ofAPerson()) {
                        tar.folder(MountsLender.nameOf(root)); // a fresh volume is root's
                    }
                    folders.forEach(folder -> tar.folder(Archives.below(root, folder)));
                    pieces.byPath().forEach((path, piece) -> {
                        if (piece.content() != null) {
                            tar.file(Archives.below(root, path), piece.content(), piece.mode());
                        }
                    });
                    return archives.extract(id, tar);
                }));
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
                return archives.stat(id, root, folder).compose(state -> switch (state.kind()) {
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
                        .map(file -> archives.stat(id, root, file)
                                .compose(state -> state.kind() == Kind.FOLDER
                                        ? Future.<Void>failedFuture(inTheWay(file))
                                        : Future.<Void>succeededFuture()))
                        .toList())
                .mapEmpty();
    }

    private static ApiError inTheWay(FilePath path) {
        return ApiError.invalid("invalid path: something else is at " + path);
    }
}
