package ai.molecule.provisioner.docker;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** Which files are to be written, and which folders that takes. */
final class FileTree {

    private static final Comparator<FilePath> ORDER =
            Comparator.<FilePath>comparingInt(path -> path.names().size()).thenComparing(FilePath::toString);

    private final TreeSet<FilePath> files = new TreeSet<>(ORDER);
    private final TreeSet<FilePath> folders = new TreeSet<>(ORDER);

    void file(FilePath path) {
        if (path.isRoot()) {
            throw ApiError.invalid("invalid path");
        }
        files.add(path);
        folder(new FilePath(path.names().subList(0, path.names().size() - 1)));
    }

    void folder(FilePath path) {
        for (int length = 1; length <= path.names().size(); length++) {
            folders.add(new FilePath(path.names().subList(0, length)));
        }
    }

    /** Parents first. Fails with INVALID when one of them is to be a file too. */
    List<FilePath> folders() {
        if (folders.stream().anyMatch(files::contains)) {
            throw ApiError.invalid("invalid path");
        }
        return List.copyOf(folders);
    }

    List<FilePath> files() {
        return List.copyOf(files);
    }
}
