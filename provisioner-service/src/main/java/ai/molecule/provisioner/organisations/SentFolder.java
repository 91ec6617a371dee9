package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A folder as a client sent it. An organisation that was sent alone is a folder without files. */
record SentFolder(Map<FilePath, byte[]> files) implements OrgFolder {

    static final SentFolder EMPTY = new SentFolder(Map.of());

    /** Texts by path; fails with INVALID for too many and for a path that leaves the folder. */
    static SentFolder of(Map<String, String> texts) {
        if (texts.size() > FILES_MAX) {
            throw ApiError.invalid("too many files (%d), max %d".formatted(texts.size(), FILES_MAX));
        }
        Map<FilePath, byte[]> files = new HashMap<>();
        texts.forEach((path, text) -> files.put(FilePath.of(path), text.getBytes(StandardCharsets.UTF_8)));
        return new SentFolder(Map.copyOf(files));
    }

    @Override
    public Optional<byte[]> read(FilePath file) {
        return Optional.ofNullable(files.get(file));
    }

    @Override
    public boolean isFolder(FilePath folder) {
        return files.keySet().stream().anyMatch(path -> isBelow(path, folder));
    }

    @Override
    public List<FilePath> filesBelow(FilePath folder) {
        return files.keySet().stream()
                .filter(path -> isBelow(path, folder))
                .sorted((one, other) -> one.toString().compareTo(other.toString()))
                .toList();
    }

    private static boolean isBelow(FilePath path, FilePath folder) {
        int depth = folder.names().size();
        return path.names().size() > depth && path.names().subList(0, depth).equals(folder.names());
    }
}
