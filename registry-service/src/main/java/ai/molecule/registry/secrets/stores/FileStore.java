package ai.molecule.registry.secrets.stores;

import ai.molecule.common.ApiError;
import ai.molecule.registry.secrets.stores.StoreFailure.Reason;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Files below folders that the operator allowed. Links may lead about within such a folder, as those of mounted secrets do, and not out of it. */
record FileStore(List<Path> folders, WorkerExecutor workers) implements SecretStore {

    @Override
    public void check(String path) {
        if (!isBelowOne(path)) {
            throw ApiError.invalid("a file must be named by an absolute path below a folder that %s allows"
                    .formatted(StoreSettings.FOLDERS));
        }
    }

    @Override
    public Future<String> read(String path) {
        return isBelowOne(path)
                ? workers.executeBlocking(() -> content(Path.of(path)), false)
                : Future.failedFuture(new StoreFailure(Reason.NOT_ALLOWED));
    }

    private boolean isBelowOne(String text) {
        try {
            var path = Path.of(text);
            return path.isAbsolute()
                    && path.equals(path.normalize())
                    && folders.stream().anyMatch(folder -> isBelow(path, folder));
        } catch (InvalidPathException malformed) {
            return false;
        }
    }

    private static boolean isBelow(Path path, Path folder) {
        return path.startsWith(folder) && !path.equals(folder);
    }

    private String content(Path named) {
        try {
            var real = named.toRealPath();
            requireInside(real);
            if (!Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)) { // a pipe would be waited for
                throw new StoreFailure(Reason.NOT_ALLOWED);
            }
            byte[] bytes;
            try (var in = Files.newInputStream(real, LinkOption.NOFOLLOW_LINKS)) {
                bytes = in.readNBytes(SecretStores.VALUE_MAX_BYTES + 2);
            }
            requireInside(real.toRealPath()); // else a folder on the way was exchanged for a link meanwhile
            return SecretStores.textOf(bytes);
        } catch (NoSuchFileException absent) {
            throw new StoreFailure(Reason.NOT_FOUND);
        } catch (AccessDeniedException denied) {
            throw new StoreFailure(Reason.DENIED);
        } catch (IOException unreadable) {
            throw new StoreFailure(Reason.FAILED);
        }
    }

    private void requireInside(Path real) throws IOException {
        for (Path folder : folders) {
            if (Files.isDirectory(folder) && isBelow(real, folder.toRealPath())) {
                return;
            }
        }
        throw new StoreFailure(Reason.NOT_ALLOWED);
    }
}
