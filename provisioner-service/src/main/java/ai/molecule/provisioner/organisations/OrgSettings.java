package ai.molecule.provisioner.organisations;

import java.nio.file.Path;
import java.util.Map;

/**
 * Where organisations and what they name are found; none of the folders needs to exist.
 *
 * @param organisations one folder per organisation
 * @param templates one folder per template of a workspace
 * @param plugins one folder per plugin
 * @param environment of this process, for {@code ${NAME}} in an organisation
 */
public record OrgSettings(Path organisations, Path templates, Path plugins, Map<String, String> environment) {

    /** Without the environment: records end up in logs. */
    @Override
    public String toString() {
        return "OrgSettings[organisations=%s, templates=%s, plugins=%s]".formatted(organisations, templates, plugins);
    }
}
