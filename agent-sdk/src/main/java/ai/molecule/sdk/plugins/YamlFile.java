package ai.molecule.sdk.plugins;

import ai.molecule.sdk.ByteOrderMark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/** Reads YAML, and with it JSON, as maps, lists and plain values: no tags, up to 1 MiB, 50 levels and 50 aliases. */
final class YamlFile {

    private static final int MAX_BYTES = 1024 * 1024;
    private static final int DEPTH_MAX = 50;
    private static final int ALIASES_MAX = 50;

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
            return parse(ByteOrderMark.strip(Files.readString(file)));
        } catch (IOException e) {
            throw new PluginException("cannot be read: " + e, e);
        }
    }

    static @Nullable Object parse(String text) {
        var options = new LoaderOptions();
        options.setCodePointLimit(MAX_BYTES);
        options.setNestingDepthLimit(DEPTH_MAX);
        options.setMaxAliasesForCollections(ALIASES_MAX);
        options.setAllowDuplicateKeys(false);
        try {
            return new Yaml(new SafeConstructor(options)).load(text);
        } catch (YAMLException | StackOverflowError | NumberFormatException e) {
            throw new PluginException("is no YAML: " + firstLine(e), e);
        }
    }

    private static String firstLine(Throwable e) {
        String message = String.valueOf(e.getMessage());
        return message.lines().findFirst().orElse("");
    }
}
