package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import java.util.List;
import java.util.regex.Pattern;

/** Names a plugin's folder: a letter or digit, then up to 127 letters, digits, dots, dashes and underscores, no two dots together. */
record PluginName(String value) {

    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9](?!.*\\.\\.)[A-Za-z0-9._-]{0,127}");

    private static final FilePath INSTALLED = new FilePath(List.of("plugins"));

    /** Fails with INVALID {@code invalid plugin name}. */
    static PluginName of(String text) {
        if (!isOne(text)) {
            throw ApiError.invalid("invalid plugin name");
        }
        return new PluginName(text);
    }

    static boolean isOne(String text) {
        return SHAPE.matcher(text).matches();
    }

    /** Where installed plugins are, below a workspace's {@code /configs}. */
    static FilePath allInstalled() {
        return INSTALLED;
    }

    FilePath installed() {
        return INSTALLED.resolve(new FilePath(List.of(value)));
    }

    @Override
    public String toString() {
        return value;
    }
}
