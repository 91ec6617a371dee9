package ai.molecule.provisioner.plugins;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder of ours in which plugins are prepared, each in a place of its own that is gone when it is done with. */
record Staging(Vertx vertx, Path root) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Staging.class);

    /**
     * Empties the folder: what is there was left by a process that died.
     *
     * @param folder one that nobody else uses; null for a temporary one
     */
    static Future<Staging> open(Vertx vertx, @Nullable Path folder) {
        return vertx.executeBlocking(
                () -> {
                    if (folder == null) {
                        return new Staging(vertx, Files.createTempDirectory("molecule-plugins-"));
                    }
                    Folders.delete(folder);
                    Files.createDirectories(folder.toAbsolutePath().getParent());
                    Files.createDirectory(folder, ownerOnly());
                    return new Staging(vertx, folder);
                },
                false);
    }

    /** One plugin's place: its files go into {@link #files()}, anything else beside it. */
    final class Place {

        private final Path path;

        private Place(Path path) {
            this.path = path;
        }

        Path files() {
            return path.resolve("files");
        }

        Path archive() {
            return path.resolve("plugin.tar.gz");
        }

        /** Never fails: what cannot be deleted now is deleted at the next start. */
        Future<Void> leave() {
            return vertx.<Void>executeBlocking(
                            () -> {
                                Folders.delete(path);
                                return null;
                            },
                            false)
                    .onFailure(failure -> LOGGER.atWarn()
                            .setCause(failure)
                            .addKeyValue("folder", path)
                            .log("staged plugin could not be deleted"))
                    .otherwiseEmpty();
        }
    }

    Future<Place> enter() {
        return vertx.executeBlocking(
                () -> {
                    var place = new Place(root.resolve(UUID.randomUUID().toString()));
                    Files.createDirectory(place.path, ownerOnly());
                    Files.createDirectory(place.files());
                    return place;
                },
                false);
    }

    private static FileAttribute<?> ownerOnly() {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    }
}
