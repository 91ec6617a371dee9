package ai.molecule.provisioner.plugins;

import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Reads {@code plugin.yaml}, which strangers write. What is missing or of another type counts as not said. */
final class PluginManifest {

    static final String FILE = "plugin.yaml";

    /** Longer ones are taken for none. */
    static final int MAX_BYTES = 64 * 1024;

    private PluginManifest() {}

    static PluginInfo read(String plugin, byte[] yaml) {
        if (yaml.length > MAX_BYTES) {
            return PluginInfo.nameOnly(plugin);
        }
        try {
            var manifest = BoundedYaml.parseTexts(new String(yaml, StandardCharsets.UTF_8));
            return new PluginInfo(
                    plugin,
                    manifest.path("version").asText(),
                    manifest.path("description").asText(),
                    manifest.path("author").asText(),
                    texts(manifest.path("tags")),
                    texts(manifest.path("skills")),
                    texts(manifest.path("runtimes")));
        } catch (YamlRefused malformed) {
            return PluginInfo.nameOnly(plugin);
        }
    }

    private static @Nullable List<String> texts(JsonNode list) {
        return list.isArray()
                ? StreamSupport.stream(list.spliterator(), false)
                        .filter(JsonNode::isTextual)
                        .map(JsonNode::textValue)
                        .toList()
                : null;
    }
}
