package ai.molecule.provisioner.plugins.sources;

import ai.molecule.provisioner.plugins.sources.FetchFailure.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.text.Normalizer;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The files of one plugin as they are written, and what they may cost. Nothing but folders and regular files is ever made, so no
 * path leads out of the folder. Two names that a file system may take for one are refused.
 */
final class StagedFiles {

    private static final int READ_BYTES = 64 * 1024;
    private static final int NAME_MAX_BYTES = 255;
    private static final int NAMES_MAX = 32;

    /** Reads up to {@code buffer.length} bytes; -1 at the end. */
    interface Content {
        int read(byte[] buffer) throws IOException;
    }

    private final Path folder;
    private final FetchLimits limits;
    private final Map<String, String> spellings = new HashMap<>();
    private long bytes;
    private int entries;

    StagedFiles(Path folder, FetchLimits limits) {
        this.folder = folder;
        this.limits = limits;
    }

    /** Counts whatever a source holds, used or not. */
    void countEntry() {
        limits.checkTime();
        if (++entries > limits.entriesMax()) {
            throw limits.tooLarge();
        }
    }

    /** Fails with UNUSABLE for a path that climbs, is absolute or that a file system should not be asked for. */
    static List<String> plainNames(String path) {
        var names = List.of(path.split("/", -1));
        if (names.size() > NAMES_MAX || !names.stream().allMatch(StagedFiles::isPlain)) {
            throw unusable("it holds a path that cannot be used");
        }
        return names;
    }

    void folder(List<String> names) throws IOException {
        try {
            Files.createDirectories(target(names));
        } catch (FileAlreadyExistsException file) {
            throw twice(file);
        }
    }

    /** @param size what the source says of it, counted before anything is written */
    void file(List<String> names, long size, boolean executable, Content content) throws IOException {
        bytes += size;
        if (size < 0 || bytes > limits.bytesMax()) {
            throw limits.tooLarge();
        }
        if (names.size() > 1) {
            folder(names.subList(0, names.size() - 1));
        }
        Path file = target(names);
        try (var out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            copy(content, out, size);
        } catch (FileAlreadyExistsException there) {
            throw twice(there);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }

    private void copy(Content content, OutputStream out, long size) throws IOException {
        byte[] buffer = new byte[READ_BYTES];
        long left = size;
        for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
            limits.checkTime();
            left -= read;
            if (left < 0) {
                throw limits.tooLarge(); // it grows while it is read
            }
            out.write(buffer, 0, read);
        }
    }

    private Path target(List<String> names) {
        Path path = folder;
        var key = new StringBuilder();
        for (String name : names) {
            path = path.resolve(name);
            key.append('/')
                    .append(Normalizer.normalize(name, Normalizer.Form.NFC).toLowerCase(Locale.ROOT));
            String before = spellings.putIfAbsent(key.toString(), name);
            if (before != null && !before.equals(name)) {
                throw unusable("it holds two names that differ only in case or accents");
            }
        }
        return path;
    }

    private static boolean isPlain(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.getBytes(java.nio.charset.StandardCharsets.UTF_8).length <= NAME_MAX_BYTES
                && name.chars().noneMatch(c -> c == '\\' || c == '\uFFFD' || Character.isISOControl(c));
    }

    private static FetchFailure twice(IOException cause) {
        return new FetchFailure(Kind.UNUSABLE, "it holds a name twice", cause);
    }

    static FetchFailure unusable(String detail) {
        return new FetchFailure(Kind.UNUSABLE, detail);
    }
}
