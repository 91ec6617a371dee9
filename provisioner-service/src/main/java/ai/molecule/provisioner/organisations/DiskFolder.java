package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A folder of this machine. It belongs to the operator, but a link in it must not make an import carry off what lies elsewhere.
 *
 * @param root without links in its own name
 */
record DiskFolder(Path root) implements OrgFolder {

    private static final int DEPTH_MAX = 16;

    /** Empty when there is no such folder, or it lies elsewhere through a link. */
    static Optional<DiskFolder> find(Path parent, FilePath below) {
        try {
            Path real = parent.resolve(below.toString()).toRealPath();
            return real.startsWith(parent.toRealPath()) && Files.isDirectory(real)
                    ? Optional.of(new DiskFolder(real))
                    : Optional.empty();
        } catch (IOException none) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<byte[]> read(FilePath file) {
        try {
            Path real = root.resolve(file.toString()).toRealPath();
            if (!real.startsWith(root)) {
                throw ApiError.invalid("%s lies outside of the organisation's folder".formatted(file));
            }
            if (!Files.isRegularFile(real)) {
                return Optional.empty();
            }
            try (var content = Files.newInputStream(real, LinkOption.NOFOLLOW_LINKS)) {
                var bytes = content.readNBytes(FILE_MAX_BYTES + 1);
                if (bytes.length > FILE_MAX_BYTES) {
                    throw ApiError.invalid("%s is larger than %d bytes".formatted(file, FILE_MAX_BYTES));
                }
                return Optional.of(bytes);
            }
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException unreadable) {
            throw ApiError.invalid("%s cannot be read".formatted(file));
        }
    }

    @Override
    public boolean isFolder(FilePath folder) {
        return find(root, folder).isPresent();
    }

    @Override
    public List<FilePath> filesBelow(FilePath folder) {
        List<FilePath> files = new ArrayList<>();
        Path start = root.resolve(folder.toString());
        try (var walk = Files.walk(start, DEPTH_MAX)) {
            for (Path path : (Iterable<Path>) walk.sorted()::iterator) {
                if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    files.add(FilePath.of(root.relativize(path).toString()));
                    if (files.size() > FILES_MAX) {
                        throw ApiError.invalid("%s holds more than %d files".formatted(folder, FILES_MAX));
                    }
                }
            }
            return files;
        } catch (IOException | UncheckedIOException unreadable) {
            throw ApiError.invalid("%s cannot be read".formatted(folder));
        }
    }
}
