package ai.molecule.provisioner.teams;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code sub_workspaces} in a template's config.
 *
 * @param config the folder of its own template; empty when it has none
 * @param name what it is called, else its config's name
 */
record TeamMember(String config, String name, @Nullable String role) {

    /** More are a mistake: a team is made at once. */
    static final int MAX = 100;

    /** Fails with INVALID when the config names no team, and with FAILED {@code failed to parse config} when it cannot be read. */
    static List<TeamMember> in(String config) {
        List<TeamMember> members = new ArrayList<>();
        for (JsonNode entry : parse(config).path("sub_workspaces")) {
            var member = of(entry);
            if (!member.name.isEmpty()) {
                members.add(member);
            }
        }
        if (members.isEmpty()) {
            throw ApiError.invalid("workspace has no sub_workspaces defined in config");
        }
        if (members.size() > MAX) {
            throw ApiError.invalid("a workspace may have %d sub_workspaces".formatted(MAX));
        }
        return members;
    }

    private static TeamMember of(JsonNode entry) {
        String config =
                entry.isTextual() ? entry.textValue() : entry.path("config").asText("");
        String name = entry.path("name").asText("");
        String role = entry.path("role").asText("");
        return new TeamMember(
                config.strip(), name.isBlank() ? config.strip() : name.strip(), role.isBlank() ? null : role);
    }

    private static JsonNode parse(String config) {
        try {
            return BoundedYaml.parse(config);
        } catch (YamlRefused notYaml) {
            throw new ApiError(ApiError.Kind.INTERNAL, "failed to parse config");
        }
    }
}
