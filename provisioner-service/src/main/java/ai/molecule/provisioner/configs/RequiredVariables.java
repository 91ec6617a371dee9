package ai.molecule.provisioner.configs;

import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What an agent's config says it cannot do without: {@code runtime_config.required_env} (registry contract, 11.4). */
public final class RequiredVariables {

    /** More are not looked at: a config names a few keys. */
    private static final int NAMES_MAX = 100;

    private RequiredVariables() {}

    /** Fails with {@link StartRefused} naming those without a value. A config that is no YAML is the agent's to complain about. */
    public static Future<Void> check(WorkspaceFiles files, UUID workspaceId, Map<String, String> given) {
        return files.read(workspaceId, Root.CONFIGS, ConfigFile.PATH).compose(config -> {
            var missing = config.map(content -> content.toString(StandardCharsets.UTF_8)).stream()
                    .flatMap(text -> namesIn(text).stream())
                    .filter(name -> given.getOrDefault(name, "").isBlank())
                    .distinct()
                    .toList();
            return missing.isEmpty() ? Future.succeededFuture() : Future.failedFuture(refusal(missing));
        });
    }

    private static StartRefused refusal(List<String> missing) {
        String error = missing.size() == 1
                ? "missing required env var \"%s\" — add it under Config → Env Vars (or as a Global secret) and retry"
                        .formatted(missing.getFirst())
                : "missing required env vars %s — add them under Config → Env Vars (or as Global secrets) and retry"
                        .formatted(String.join(", ", missing));
        return new StartRefused(error, Map.of("error", error, "missing", missing));
    }

    private static List<String> namesIn(String text) {
        List<String> names = new ArrayList<>();
        for (JsonNode name : parse(text).path("runtime_config").path("required_env")) {
            if (name.isTextual() && name.textValue().length() <= 128 && names.size() < NAMES_MAX) {
                names.add(name.textValue());
            }
        }
        return names;
    }

    private static JsonNode parse(String text) {
        try {
            return BoundedYaml.parse(text);
        } catch (YamlRefused notYaml) {
            return MissingNode.getInstance();
        }
    }
}
