package ai.molecule.provisioner.backend;

import ai.molecule.common.ApiError;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * A path below a root: names joined by single slashes, none of them {@code .} or {@code ..}, at most 1,024 bytes and 32 names. The
 * root itself is the empty path.
 */
public record FilePath(List<String> names) {

    public static final FilePath ROOT = new FilePath(List.of());

    private static final int MAX_BYTES = 1024;
    private static final int MAX_NAMES = 32;

    public FilePath {
        names = List.copyOf(names);
    }

    /** Fails with INVALID {@code invalid path} for an absolute path, one that climbs, or one no file system should be asked for. */
    public static FilePath of(String text) {
        if (text.isEmpty() || text.equals(".")) {
            return ROOT;
        }
        var names = List.of(text.split("/", -1));
        boolean plain = names.size() <= MAX_NAMES && names.stream().allMatch(FilePath::isPlain);
        if (!plain || text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw ApiError.invalid("invalid path");
        }
        return new FilePath(names);
    }

    public FilePath resolve(FilePath below) {
        return new FilePath(Stream.concat(names.stream(), below.names.stream()).toList());
    }

    public boolean isRoot() {
        return names.isEmpty();
    }

    private static boolean isPlain(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.getBytes(StandardCharsets.UTF_8).length <= 255
                && name.chars().noneMatch(c -> c == '\\' || Character.isISOControl(c));
    }

    @Override
    public String toString() {
        return String.join("/", names);
    }
}
