package ai.molecule.provisioner.plugins;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/** Writes the archive that agents outside download: the plugin's files at its root, folders included, gzip. */
final class PluginTar {

    private PluginTar() {}

    static void write(Path folder, Path archive) throws IOException {
        try (var out = new BufferedOutputStream(Files.newOutputStream(archive));
                var tar = new TarArchiveOutputStream(new GZIPOutputStream(out), "UTF-8")) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            tar.setAddPaxHeadersForNonAsciiNames(true);
            for (Path path : Folders.below(folder)) {
                add(tar, path, Folders.relative(folder, path));
            }
        }
    }

    private static void add(TarArchiveOutputStream tar, Path path, String name) throws IOException {
        boolean directory = Files.isDirectory(path);
        var entry = new TarArchiveEntry(directory ? name + "/" : name);
        entry.setMode(directory ? 0040755 : Files.isExecutable(path) ? 0100755 : 0100644);
        entry.setModTime(Files.getLastModifiedTime(path));
        entry.setSize(directory ? 0 : Files.size(path));
        tar.putArchiveEntry(entry);
        if (!directory) {
            Files.copy(path, tar);
        }
        tar.closeArchiveEntry();
    }
}
