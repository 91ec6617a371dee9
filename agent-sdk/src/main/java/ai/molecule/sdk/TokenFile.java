package ai.molecule.sdk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * The token in a file {@code .auth_token} that only its owner can read: one line without a newline, mode 0600, in a
 * folder made with mode 0700. File systems without POSIX modes keep their own defaults.
 *
 * <p>The file is read each time it is asked for, because whoever runs the agent may put a fresh token there.
 *
 * <pre>{@code
 * TokenStore tokens = TokenFile.in(Path.of("/var/lib/my-agent"));
 * }</pre>
 */
public final class TokenFile implements TokenStore {

    /** The file's name inside its folder, as every client of the platform expects it. */
    public static final String NAME = ".auth_token";

    private static final int TOKEN_MAX_BYTES = 8 * 1024;
    private static final Set<PosixFilePermission> OWNER_READS_AND_WRITES = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path folder;

    private TokenFile(Path folder) {
        this.folder = folder;
    }

    /** The token file of this folder; neither has to exist yet. */
    public static TokenFile in(Path folder) {
        return new TokenFile(folder);
    }

    public Path path() {
        return folder.resolve(NAME);
    }

    /**
     * {@inheritDoc}
     *
     * @throws UncheckedIOException when the file exists but cannot be read, or is larger than 8 KiB and so no token
     */
    @Override
    public Optional<String> load() {
        try {
            if (Files.size(path()) > TOKEN_MAX_BYTES) {
                throw new IOException(path() + " is too large to be a token");
            }
            return Optional.of(Files.readString(path()).strip()).filter(token -> !token.isEmpty());
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@inheritDoc} A reader sees the old token or the new one, never half of one. */
    @Override
    public void save(String token) {
        String stripped = token.strip();
        if (stripped.isEmpty()) {
            throw new IllegalArgumentException("refusing to save an empty token");
        }
        try {
            makeFolder();
            Path fresh = Files.createTempFile(folder, NAME, ".new"); // is created with mode 0600
            try {
                Files.write(fresh, stripped.getBytes(StandardCharsets.UTF_8));
                restrict(fresh, OWNER_READS_AND_WRITES);
                replace(fresh);
            } finally {
                Files.deleteIfExists(fresh);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void makeFolder() throws IOException {
        if (Files.isDirectory(folder)) {
            return; // somebody else's folder keeps its mode
        }
        Files.createDirectories(folder);
        restrict(folder, OWNER_ONLY);
    }

    private void replace(Path fresh) throws IOException {
        try {
            Files.move(fresh, path(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException plainFileSystem) {
            Files.move(fresh, path(), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void restrict(Path path, Set<PosixFilePermission> mode) throws IOException {
        try {
            Files.setPosixFilePermissions(path, mode);
        } catch (UnsupportedOperationException noPosixModes) {
            // the file system's own access rules apply
        }
    }

    /** The file's path, for messages to a person. */
    @Override
    public String toString() {
        return path().toString();
    }
}
