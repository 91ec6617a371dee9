package ai.molecule.provisioner.templates;

import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A folder that workspaces are made from.
 *
 * @param id what it is named by: its folder's name, with the folders above it where it lies deeper
 * @param config its {@code config.yaml}; null when it has none
 */
public record Template(String id, Path folder, @Nullable ConfigFile config) {

    private static final long SECONDS_MAX = 365L * 24 * 3_600;

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

    /** What its agents run; as for a workspace that names none, langgraph. */
    String runtime() {
        String named = settings().map(mapping -> text(mapping.path("runtime"))).orElse("");
        return named.isEmpty() ? "langgraph" : named;
    }

    /** How long an agent of it may take to start; at most a year. */
    OptionalLong provisionTimeoutSeconds() {
        long seconds = settings()
                .map(mapping -> mapping.path("runtime_config")
                        .path("provision_timeout_seconds")
                        .asLong())
                .orElse(0L);
        return seconds > 0 ? OptionalLong.of(Math.min(seconds, SECONDS_MAX)) : OptionalLong.empty();
    }

    /** The name that its config gives; empty when it gives none. */
    String configuredName() {
        return settings().map(mapping -> text(mapping.path("name"))).orElse("");
    }

    static String text(JsonNode node) {
        return node.isValueNode() && !node.isNull() ? node.asText() : "";
    }
}
