package ai.molecule.provisioner.templates;

import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A folder that workspaces are made from.
 *
 * @param id what it is named by: its folder's name, with the folders above it where it lies deeper
 * @param config its {@code config.yaml}; null when it has none
 */
public record Template(String id, Path folder, @Nullable ConfigFile config) {

    /** Its config as a mapping; empty without one, and for one that is no YAML. */
    public Optional<ObjectNode> settings() {
        if (config == null) {
            return Optional.empty();
        }
        try {
            return BoundedYaml.parse(config.text()) instanceof ObjectNode mapping
                    ? Optional.of(mapping)
                    : Optional.empty();
        } catch (YamlRefused broken) {
            return Optional.empty();
        }
    }

    /** The name that its config gives; empty when it gives none. */
    String configuredName() {
        return settings().map(mapping -> text(mapping.path("name"))).orElse("");
    }

    static String text(JsonNode node) {
        return node.isValueNode() && !node.isNull() ? node.asText() : "";
    }
}
