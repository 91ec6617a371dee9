package ai.molecule.provisioner.plugins.sources;

import ai.molecule.provisioner.plugins.sources.FetchFailure.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks a gzip-compressed tar archive as repositories are sent: everything below one folder, which is taken off. Links are left
 * out. Devices, sparse files, paths out of the folder, names that come twice and kinds of entries nobody needs are refused.
 */
final class PluginTarball {

    /** For headers before an entry: a long name, extended headers. Paths that can be used are far shorter. */
    private static final int HEADERS_MAX_BYTES = 64 * 1024;

    private static final int GZIP_BUFFER_BYTES = 64 * 1024;

    private final StagedFiles files;
    private @Nullable String top; // the folder that everything is in

    private PluginTarball(StagedFiles files) {
        this.files = files;
    }

    /** Fails with {@link FetchFailure} where the archive is to blame, with {@link IOException} where the disk is. */
    static void unpack(Path archive, Path folder, FetchLimits limits) throws IOException {
        new PluginTarball(new StagedFiles(folder, limits)).unpack(archive);
    }

    private void unpack(Path archive) throws IOException {
        try (var compressed = Files.newInputStream(archive);
                var bounded = new AllowedBytes(gunzip(compressed));
                var tar = new TarArchiveInputStream(bounded, "UTF-8")) {
            bounded.allow(HEADERS_MAX_BYTES);
            for (var entry = next(tar); entry != null; entry = next(tar)) {
                files.countEntry();
                place(entry, tar, bounded);
                bounded.allow(HEADERS_MAX_BYTES);
            }
        }
        if (top == null) {
            throw StagedFiles.unusable("it is empty");
        }
    }

    private void place(TarArchiveEntry entry, TarArchiveInputStream tar, AllowedBytes bounded) throws IOException {
        String path = entry.getName();
        boolean folder = path.endsWith("/");
        var names = StagedFiles.plainNames(folder ? path.substring(0, path.length() - 1) : path);
        if (top == null) {
            top = names.getFirst();
        }
        if (!names.getFirst().equals(top)) {
            throw StagedFiles.unusable("it holds more than one folder");
        }
        var below = names.subList(1, names.size());
        switch (entry.getLinkFlag()) {
            case TarConstants.LF_SYMLINK, TarConstants.LF_LINK -> {} // nobody follows what is not there
            case TarConstants.LF_DIR -> folder(below);
            case TarConstants.LF_NORMAL, TarConstants.LF_OLDNORM -> {
                if (folder) {
                    folder(below);
                } else {
                    bounded.allow(entry.getSize()); // the files refuse a size beyond their limit before they read
                    file(below, entry, tar);
                }
            }
            default -> throw StagedFiles.unusable("it holds neither a file nor a folder");
        }
    }

    private void folder(List<String> names) throws IOException {
        if (!names.isEmpty()) {
            files.folder(names);
        }
    }

    private void file(List<String> names, TarArchiveEntry entry, TarArchiveInputStream tar) throws IOException {
        if (names.isEmpty() || entry.isSparse()) {
            throw StagedFiles.unusable("it holds a file that cannot be used");
        }
        files.file(names, entry.getSize(), (entry.getMode() & 0100) != 0, buffer -> read(tar, buffer));
    }

    private static GZIPInputStream gunzip(java.io.InputStream compressed) {
        try {
            return new GZIPInputStream(compressed, GZIP_BUFFER_BYTES);
        } catch (IOException noGzip) {
            throw damaged(noGzip);
        }
    }

    private static @Nullable TarArchiveEntry next(TarArchiveInputStream tar) {
        try {
            return tar.getNextEntry();
        } catch (IOException | IllegalArgumentException damaged) {
            throw damaged(damaged);
        }
    }

    private static int read(TarArchiveInputStream tar, byte[] buffer) {
        try {
            return tar.read(buffer);
        } catch (IOException damaged) {
            throw damaged(damaged);
        }
    }

    private static FetchFailure damaged(Exception cause) {
        return new FetchFailure(Kind.UNUSABLE, "it cannot be read as an archive", cause);
    }
}
