package ai.molecule.sdk;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which plugin to install, and how.
 *
 * <pre>{@code
 * client.installPlugin(PluginRequest.of("notes").from("github://acme/notes").withoutSetup());
 * }</pre>
 *
 * @param name a letter or digit, then up to 127 letters, digits, dots, dashes and underscores: it names a folder
 * @param source such as {@code github://owner/repository}; empty: the platform's own plugin of that name
 * @param runSetup whether {@code setup.sh} is run
 * @param report whether the platform is told
 */
public record PluginRequest(String name, Optional<String> source, boolean runSetup, boolean report) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    /** @throws IllegalArgumentException for a name that cannot name a folder */
    public PluginRequest {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a plugin name: " + name);
        }
    }

    public static PluginRequest of(String name) {
        return new PluginRequest(name, Optional.empty(), true, true);
    }

    public PluginRequest from(String otherSource) {
        return new PluginRequest(name, Optional.of(otherSource), runSetup, report);
    }

    public PluginRequest withoutSetup() {
        return new PluginRequest(name, source, false, report);
    }

    public PluginRequest withoutReport() {
        return new PluginRequest(name, source, runSetup, false);
    }
}
