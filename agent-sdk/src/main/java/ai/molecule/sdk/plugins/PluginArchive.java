package ai.molecule.sdk.plugins;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Unpacks a gzip-compressed tar archive of a plugin. Links are left out with a warning. Everything else that a plugin has no
 * use for is refused: absolute paths, ways out of the folder, devices, a name that comes twice, more than the limits allow.
 *
 * <pre>{@code
 * PluginArchive.unpack(bytes, staging, ArchiveLimits.DEFAULT);
 * }</pre>
 */
public final class PluginArchive {

    private static final Logger LOGGER = System.getLogger(PluginArchive.class.getName());
    private static final int PATH_MAX_CHARS = 1024;
    private static final int READ_BYTES = 64 * 1024;

    private final Path folder;
    private final ArchiveLimits limits;
    private long bytesLeft;

    private PluginArchive(Path folder, ArchiveLimits limits) {
        this.folder = folder.toAbsolutePath().normalize();
        this.limits = limits;
        this.bytesLeft = limits.totalBytes();
    }

    /**
     * Unpacks into an existing, empty folder that nobody else writes to. After a failure it holds a part of the files.
     *
     * @throws PluginException when the archive is malformed or refused; the message names the entry
     * @throws IOException when the disk does not take it
     */
    public static void unpack(byte[] gzippedTar, Path folder, ArchiveLimits limits) throws IOException {
        new PluginArchive(folder, limits).unpack(gzippedTar);
    }

    private void unpack(byte[] gzippedTar) throws IOException {
        var entry = Optional.<TarReader.Entry>empty();
        try (var gunzipped = new GZIPInputStream(new ByteArrayInputStream(gzippedTar), READ_BYTES)) {
            var tar = new TarReader(new LimitedStream(gunzipped, limits));
            int count = 0;
            for (entry = read(tar); entry.isPresent(); entry = read(tar)) {
                if (++count > limits.entries()) {
                    throw new PluginException("the archive holds more than " + limits.entries() + " entries");
                }
                place(entry.get(), tar);
            }
        } catch (MalformedArchive e) {
            throw new PluginException("the archive cannot be read: " + e.getMessage(), e);
        } catch (ZipException e) {
            throw new PluginException("the archive is not compressed with gzip, or is damaged", e);
        } catch (EOFException e) {
            throw new PluginException("the archive cannot be read: it ends too early", e);
        }
    }

    /** What the archive's own bytes are to blame for, told apart from a disk that fails. */
    private static final class MalformedArchive extends IOException {
        private static final long serialVersionUID = 1L;

        MalformedArchive(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private static Optional<TarReader.Entry> read(TarReader tar) throws IOException {
        try {
            return tar.next();
        } catch (IOException e) {
            throw new MalformedArchive(e);
        }
    }

    private void place(TarReader.Entry entry, TarReader tar) throws IOException {
        Path target = targetOf(entry.name());
        switch (entry.kind()) {
            case LINK -> LOGGER.log(Level.WARNING, "link {0} is left out", entry.name());
            case DEVICE -> throw new PluginException("the archive holds a device: " + entry.name());
            case FOLDER -> makeFolder(target, entry.name());
            case FILE -> makeFile(target, entry, tar);
        }
    }

    private Path targetOf(String name) {
        if (name.isEmpty() || name.length() > PATH_MAX_CHARS || name.indexOf('\\') >= 0) {
            throw new PluginException("the archive holds a name that cannot be used: " + name);
        }
        try {
            Path target = folder.resolve(name).normalize();
            if (Path.of(name).isAbsolute() || name.startsWith("/") || !target.startsWith(folder)) {
                throw new PluginException("the archive reaches outside its folder: " + name);
            }
            return target;
        } catch (InvalidPathException e) {
            throw new PluginException("the archive holds a name that cannot be used: " + name, e);
        }
    }

    private static void makeFolder(Path target, String name) throws IOException {
        try {
            Files.createDirectories(target);
        } catch (FileAlreadyExistsException e) {
            throw new PluginException("the archive holds this name twice: " + name, e);
        }
    }

    private void makeFile(Path target, TarReader.Entry entry, TarReader tar) throws IOException {
        if (target.equals(folder)) {
            throw new PluginException("the archive holds a name that cannot be used: " + entry.name());
        }
        bytesLeft -= entry.size();
        if (bytesLeft < 0) {
            throw new PluginException("the archive holds more than " + limits.totalBytes() + " bytes");
        }
        makeFolder(Objects.requireNonNull(target.getParent()), entry.name()); // it lies inside the folder
        try (OutputStream out =
                Files.newOutputStream(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            byte[] buffer = new byte[READ_BYTES];
            for (int read = tar.read(buffer); read >= 0; read = tar.read(buffer)) {
                out.write(buffer, 0, read);
            }
        } catch (FileAlreadyExistsException e) {
            throw new PluginException("the archive holds this name twice: " + entry.name(), e);
        }
        if (entry.executable() && Files.getFileStore(target).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }
}
