package ai.molecule.sdk.plugins;

import ai.molecule.sdk.BoundedYaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads YAML, and with it JSON, as maps, lists and plain values: within the bounds of {@link BoundedYaml}. */
final class YamlFile {

    private static final int MAX_BYTES = 1024 * 1024;

    private YamlFile() {}

    /**
     * @return null for an empty file
     * @throws PluginException when the file is missing, too large or no YAML
     */
    static @Nullable Object read(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new PluginException("larger than 1 MiB");
            }
            return parse(Files.readString(file));
        } catch (IOException e) {
            throw new PluginException("cannot be read: " + e, e);
        }
    }

    static @Nullable Object parse(String text) {
        try {
            return BoundedYaml.parse(text, true);
        } catch (IllegalArgumentException e) {
            throw new PluginException("is no YAML: " + e.getMessage(), e);
        }
    }
}
