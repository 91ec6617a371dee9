package ai.molecule.provisioner.plugins;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The plugins that come with Molecule: examples to install and to copy from. */
final class ShippedPlugins {

    private static final Logger LOGGER = LoggerFactory.getLogger(ShippedPlugins.class);
    private static final String RESOURCES = "/plugins/";

    /** Every file of them, because a jar does not tell what it holds. */
    private static final String INDEX = "files.txt";

    private ShippedPlugins() {}

    /** Makes the folder, whole or not at all. One that exists is somebody's own and is left alone. */
    static Future<Void> unpackWhereNothingIs(Vertx vertx, Path folder) {
        return vertx.executeBlocking(
                () -> {
                    if (!Files.exists(folder)) {
                        unpack(folder);
                    }
                    return null;
                },
                false);
    }

    static List<String> files() throws IOException {
        return new String(read(INDEX), StandardCharsets.UTF_8).lines().toList();
    }

    private static void unpack(Path folder) throws IOException {
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
            LOGGER.atInfo().addKeyValue("folder", folder).log("plugins that come with Molecule put into the registry");
        } finally {
            Folders.delete(aside);
        }
    }

    private static byte[] read(String name) throws IOException {
        try (var in = ShippedPlugins.class.getResourceAsStream(RESOURCES + name)) {
            if (in == null) {
                throw new IOException("resource is missing: " + RESOURCES + name);
            }
            return in.readAllBytes();
        }
    }
}
