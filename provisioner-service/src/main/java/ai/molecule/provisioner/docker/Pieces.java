package ai.molecule.provisioner.docker;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.containers.Tar;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is to be put into a workspace at once, by path. Everything of it is in memory, so it is bounded. */
record Pieces(Map<FilePath, Piece> byPath) {

    /** What one folder or local file put into a workspace may hold together. */
    static final int PUT_MAX_BYTES = 64 * 1024 * 1024;

    /** @param content null for a folder */
    record Piece(byte @Nullable [] content, int mode) {}

    /** Fails with TOO_LARGE when one is larger than a file may be. */
    static Pieces of(Map<FilePath, Buffer> files) {
        var pieces = empty();
        files.forEach((path, content) -> {
            if (content.length() > WorkspaceFiles.FILE_MAX_BYTES) {
                throw tooLarge();
            }
            byte[] bytes = content.getBytes();
            pieces.byPath.put(
                    path, new Piece(bytes, WorkspaceFiles.isProgram(bytes) ? Tar.FOLDER_MODE : Tar.FILE_MODE));
        });
        return pieces;
    }

    /** Blocks. */
    static Pieces ofFile(FilePath target, Path source) throws IOException {
        var pieces = empty();
        pieces.byPath.put(target, new Piece(bounded(source), Tar.FILE_MODE));
        return pieces;
    }

    /** Without links and whatever else is neither file nor folder. Blocks. */
    static Pieces ofFolder(FilePath target, Path source) throws IOException {
        return new Pieces(piecesOf(target, source));
    }

    FileTree tree() {
        var tree = new FileTree();
        byPath.forEach((path, piece) -> {
            if (piece.content() == null) {
                tree.folder(path);
            } else {
                tree.file(path);
            }
        });
        return tree;
    }

    private static Pieces empty() {
        return new Pieces(new TreeMap<>(Comparator.comparing(FilePath::toString)));
    }

    private static Map<FilePath, Piece> piecesOf(FilePath target, Path source) throws IOException {
        Map<FilePath, Piece> pieces = new TreeMap<>(Comparator.comparing(FilePath::toString));
        pieces.put(target, new Piece(null, Tar.FOLDER_MODE));
        long bytes = 0;
        List<Path> found;
        try (var walk = Files.walk(source)) {
            found = walk.limit(WorkspaceFiles.ENTRIES_MAX + 1L).toList();
        }
        if (found.size() > WorkspaceFiles.ENTRIES_MAX) {
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

    static ApiError tooLarge() {
        return new ApiError(ApiError.Kind.TOO_LARGE, "file too large");
    }
}
