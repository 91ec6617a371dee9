package ai.molecule.provisioner.organisations;

import ai.molecule.common.config.Env;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where organisations and what they name are found; none of the folders needs to exist.
 *
 * @param organisations {@code MOLECULE_ORG_TEMPLATES}, default {@code org-templates} beside the templates: one folder per organisation,
 *     made with the examples that come with Molecule when it does not exist
 * @param shipped whether it may be made so: when it was named, or lies in the data folder that was named
 * @param templates one folder per template of a workspace
 * @param plugins one folder per plugin
 * @param environment of this process, for {@code ${NAME}} in an organisation
 */
public record OrgSettings(
        Path organisations, boolean shipped, Path templates, Path plugins, Map<String, String> environment) {

    /** @param plugins null: beside the templates */
    public static OrgSettings fromEnv(
            Env env, Path templates, @Nullable Path plugins, Map<String, String> environment) {
        String named = env.find("MOLECULE_ORG_TEMPLATES");
        return new OrgSettings(
                named == null
                        ? templates.resolveSibling("org-templates")
                        : Path.of(named).toAbsolutePath(),
                named != null || (env.find("CONFIGS_DIR") == null && env.find("MOLECULE_DATA") != null),
                templates,
                plugins == null ? templates.resolveSibling("plugins") : plugins,
                environment);
    }

    /** Without the environment: records end up in logs. */
    @Override
    public String toString() {
        return "OrgSettings[organisations=%s, templates=%s, plugins=%s]".formatted(organisations, templates, plugins);
    }
}
