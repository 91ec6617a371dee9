package ai.molecule.sdk.plugins;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code plugin.yaml} of a plugin.
 *
 * <pre>{@code
 * PluginManifest.sha256In(folder).ifPresent(sum -> PluginSha256.verify(folder, sum));
 * }</pre>
 */
public final class PluginManifest {

    private static final Logger LOGGER = System.getLogger(PluginManifest.class.getName());

    private PluginManifest() {}

    /** The checksum the plugin names; empty when it names none, or its {@code plugin.yaml} is missing or cannot be read. */
    public static Optional<String> sha256In(Path folder) {
        Path file = folder.resolve("plugin.yaml");
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try {
            Object sum = YamlFile.read(file) instanceof Map<?, ?> manifest ? manifest.get("sha256") : null;
            boolean none = sum == null || sum.equals("") || sum.equals(false);
            return none ? Optional.empty() : Optional.of(String.valueOf(sum));
        } catch (PluginException e) {
            LOGGER.log(Level.WARNING, "{0} {1}", file, e.getMessage());
            return Optional.empty();
        }
    }
}
