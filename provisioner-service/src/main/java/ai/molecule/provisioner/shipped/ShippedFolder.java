package ai.molecule.provisioner.shipped;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder among the resources; each holds a {@code files.txt} that names every file, because a jar does not tell what it holds. */
public enum ShippedFolder {
    ORGANISATIONS("/organisations/"),
    PLUGINS("/plugins/"),
    TEMPLATES("/templates/");

    private static final Logger LOGGER = LoggerFactory.getLogger(ShippedFolder.class);
    private static final String INDEX = "files.txt";

    private final String resources;

    ShippedFolder(String resources) {
        this.resources = resources;
    }

    /**
     * Makes that folder with what is here, whole or not at all. One that exists is somebody's own and is left alone. Where it cannot
     * be made there are no examples, which a warning says; the platform runs without.
     */
    public Future<Void> layOutWhereNothingIs(Vertx vertx, Path folder) {
        return vertx.<Void>executeBlocking(
                        () -> {
                            if (!Files.exists(folder)) {
                                layOut(vertx, folder);
                            }
                            return null;
                        },
                        false)
                .otherwise(failure -> {
                    LOGGER.atWarn()
                            .setCause(failure)
                            .addKeyValue("folder", folder)
                            .log("the examples that come with Molecule are not laid out");
                    return null;
                });
    }

    /** Every file of it, as paths below it. */
    List<String> files() throws IOException {
        return new String(read(INDEX), StandardCharsets.UTF_8).lines().toList();
    }

    private void layOut(Vertx vertx, Path folder) throws IOException {
        Path aside = folder.resolveSibling("." + folder.getFileName() + "-" + UUID.randomUUID());
        try {
            for (String name : files()) {
                Path file = aside.resolve(name);
                Files.createDirectories(file.getParent());
                Files.write(file, read(name));
                if (name.endsWith(".sh")) {
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
                }
            }
            Files.move(aside, folder);
            LOGGER.atInfo().addKeyValue("folder", folder).log("the examples that come with Molecule are laid out");
        } catch (FileSystemException failure) {
            if (!Files.exists(folder)) { // else another replica was first
                throw failure;
            }
        } finally {
            if (Files.exists(aside)) {
                vertx.fileSystem().deleteRecursiveBlocking(aside.toString());
            }
        }
    }

    private byte[] read(String name) throws IOException {
        try (var in = ShippedFolder.class.getResourceAsStream(resources + name)) {
            if (in == null) {
                throw new IOException("resource is missing: " + resources + name);
            }
            return in.readAllBytes();
        }
    }
}
