package ai.molecule.provisioner.process;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
import java.util.Set;

/** Where something is put below a root. What stands in the way fails with INVALID. Blocks. */
final class Placing {

    private Placing() {}

    static String nameOf(FilePath path) {
        if (path.isRoot()) {
            throw ApiError.invalid("invalid path");
        }
        return path.names().getLast();
    }

    static List<String> parentOf(FilePath path) {
        return path.isRoot() ? List.of() : path.names().subList(0, path.names().size() - 1);
    }

    /** Fails when one of the others needs a folder where this one is a file. */
    static void checkApart(FilePath file, Set<FilePath> all) {
        for (int i = 1; i < file.names().size(); i++) {
            if (all.contains(new FilePath(file.names().subList(0, i)))) {
                throw ApiError.invalid("invalid path");
            }
        }
    }

    /** Fails when a file cannot be put there; what is found now may change before it is. */
    static void checkFree(HeldPath top, FilePath path) throws IOException {
        String name = nameOf(path);
        for (int i = 1; i < path.names().size(); i++) {
            var above = path.names().subList(0, i);
            try (var parent = top.findFolder(above.subList(0, i - 1)).orElse(null);
                    var found =
                            parent == null ? null : parent.find(above.getLast()).orElse(null)) {
                if (found == null) {
                    return;
                }
                if (!found.attributes().isDirectory()) {
                    throw ApiError.invalid("invalid path");
                }
            }
        }
        try (var parent = top.findFolder(parentOf(path)).orElse(null);
                var found = parent == null ? null : parent.find(name).orElse(null)) {
            if (found != null && found.attributes().isDirectory()) {
                throw ApiError.invalid("path is a directory");
            }
        }
    }

    static HeldPath openParent(HeldPath top, FilePath path) throws IOException {
        return openFolder(top, parentOf(path));
    }

    /** Created where it is missing. */
    static HeldPath openFolder(HeldPath top, List<String> names) throws IOException {
        var here = top.find(".").orElseThrow(() -> ApiError.invalid("invalid path"));
        for (String name : names) {
            try (var above = here) {
                here = enter(above, name);
            }
        }
        return here;
    }

    private static HeldPath enter(HeldPath above, String name) throws IOException {
        var found = above.find(name);
        boolean made = found.isEmpty();
        if (made) {
            try {
                Ownership.createFolder(above.child(name));
            } catch (FileAlreadyExistsException meanwhile) {
                made = false; // it is looked at below like any other
            }
            found = above.find(name);
        }
        if (found.isPresent() && found.get().attributes().isDirectory()) {
            if (made) {
                Ownership.giveLike(above, found.get());
            }
            return found.get();
        }
        found.ifPresent(HeldPath::close);
        throw ApiError.invalid("invalid path");
    }
}
